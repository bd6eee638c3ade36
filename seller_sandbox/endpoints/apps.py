from django.apps import AppConfig


class EndpointsConfig(AppConfig):
    name = "seller_sandbox.endpoints"
    label = "sandbox_endpoints"
