"""The paths of each stage."""

from django.urls import include, path

urlpatterns = [
    path("", include("agent.extracting.urls")),
]
