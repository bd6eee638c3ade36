from django.apps import AppConfig


class DiagnosticsConfig(AppConfig):
    name = "seller_sandbox.diagnostics"
    label = "sandbox_diagnostics"
