"""The paths of each stage."""

from django.urls import include, path

urlpatterns = [
    path("", include("annotation.managing.urls")),
    path("", include("annotation.importing.urls")),
    path("", include("annotation.browsing.urls")),
    path("", include("annotation.assigning.urls")),
    path("", include("annotation.annotating.urls")),
]
