from django.apps import AppConfig


class EngineersConfig(AppConfig):
    name = "engineers"
    verbose_name = "People"
