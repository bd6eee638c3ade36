from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "seller_sandbox.console"
    label = "sandbox_console"
