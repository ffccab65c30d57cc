"""All paths: the three apps, the API, the admin."""

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path

from gavel_site import views

urlpatterns = [
    path("", views.home, name="home"),
    path("health/", views.health, name="health"),
    path("account/", views.account, name="account"),
    path("account/token/", views.account_token, name="account-token"),
    path("design/", views.design, name="design"),
    path("design/<slug:sample>/", views.design, name="design_sample"),
    path("login/", auth_views.LoginView.as_view(), name="login"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("", include("annotation.urls")),
    path("", include("agent.urls")),
    path("", include("evaluation.urls")),
    path("api/v1/", include("gavel_site.api_urls")),
    path("admin/", admin.site.urls),
]

handler400 = "gavel_site.error_pages.bad_request"
handler403 = "gavel_site.error_pages.permission_denied"
handler404 = "gavel_site.error_pages.page_not_found"
handler500 = "gavel_site.error_pages.server_error"
