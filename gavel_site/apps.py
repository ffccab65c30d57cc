"""The Django admin with our own rule of who may enter."""

from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class AdminConfig(DjangoAdminConfig):
    default_site = "gavel_site.admin_site.SiteAdmin"
