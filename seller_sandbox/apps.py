from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "seller_sandbox"
    label = "sandbox"
