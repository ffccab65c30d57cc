"""Version 1 of the API: the routes of each app, the schema and its page."""

from django.contrib.auth.decorators import login_required
from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

urlpatterns = [
    path("", include("annotation.api.urls")),
    path("", include("evaluation.api.urls")),
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path(
        "docs/",
        login_required(SpectacularSwaggerSplitView.as_view(url_name="api-schema")),
        name="api-docs",
    ),
]
