from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Fibre dispatch"

    def ready(self) -> None:
        from config import checks  # noqa: F401, PLC0415  # the checks register themselves
