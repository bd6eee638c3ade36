from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.utils.translation import gettext_lazy


class EngineersConfig(AppConfig):
    name = "engineers"
    verbose_name = gettext_lazy("People")


class OfficeAdminConfig(admin_apps.AdminConfig):
    """Django's administration with our own site."""

    default_site = "engineers.admin_site.OfficeAdminSite"
    default = False
