from django.apps import AppConfig


class PartnerApiConfig(AppConfig):
    name = "partner_api"
    verbose_name = "Interfaces for the partner's other systems"
