"""The agent has no pages yet: its judges are shown by the stages that use them."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
