"""Django's administration with our own site; apart from the site, since Django reads this before any model exists."""

from django.contrib.admin.apps import AdminConfig


class OfficeAdminConfig(AdminConfig):
    default_site = "engineers.admin_site.OfficeAdminSite"
    default = False
