"""Handing out tasks."""

from django.urls import URLPattern, URLResolver, path

from annotation.assigning import views

app_name = "assigning"
urlpatterns: list[URLPattern | URLResolver] = [
    path("studies/<slug:slug>/sets/<slug:key>/assign/", views.assign, name="assign"),
]
