from django.apps import AppConfig


class BackgroundConfig(AppConfig):
    name = "background"
    verbose_name = "Background work"

    def ready(self) -> None:
        from background import broker, tasks  # noqa: F401, PLC0415  # the tasks register themselves
        from monitoring import health_checks  # noqa: PLC0415

        health_checks.register_check("redis", broker.check_redis)
