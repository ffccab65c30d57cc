"""The four names that the base templates may rely on, and no others."""

from django.http import HttpRequest, HttpResponse
from django.urls import path


def blank(request: HttpRequest) -> HttpResponse:
    return HttpResponse("")


urlpatterns = [
    path("", blank, name="home"),
    path("login/", blank, name="login"),
    path("logout/", blank, name="logout"),
    path("account/", blank, name="account"),
]
