"""The paths of each stage."""

from django.urls import include, path

urlpatterns = [
    path("", include("evaluation.judging.urls")),
    path("", include("evaluation.meta_evaluating.urls")),
    path("", include("evaluation.exporting.urls")),
    path("", include("evaluation.releasing.urls")),
]
