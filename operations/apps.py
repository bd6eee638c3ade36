from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "operations"
    verbose_name = "Operations"

    def ready(self) -> None:
        """The worker runs only tasks that are registered, and `check` only checks."""
        from monitoring import metrics  # noqa: PLC0415  # models exist only now
        from operations import backup_location, tasks  # noqa: F401, PLC0415
        from operations.backup_age import BackupCollector  # noqa: PLC0415

        metrics.register_collector(BackupCollector())
