"""Taking data out."""

from django.urls import URLPattern, URLResolver, path

from evaluation.exporting import views

app_name = "exporting"
urlpatterns: list[URLPattern | URLResolver] = [
    path("studies/<slug:slug>/export/", views.export, name="export"),
]
