"""The admin: for site admins alone, behind the site's one sign-in page."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator


class SiteAdmin(AdminSite):
    """Django's admin for active superusers; being staff is not enough."""

    site_title = site_header = "Gavel"

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether ``request`` comes from a site admin."""
        return request.user.is_active and request.user.is_superuser

    @method_decorator(login_not_required)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to the site's own sign-in page, which counts failures and says who is signed in."""
        index = reverse("admin:index")
        if self.has_permission(request):
            return redirect(index)
        return redirect_to_login(request.GET.get("next") or index)
