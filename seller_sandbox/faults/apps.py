from django.apps import AppConfig


class FaultsConfig(AppConfig):
    name = "seller_sandbox.faults"
    label = "sandbox_faults"
