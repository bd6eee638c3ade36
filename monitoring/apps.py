from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    name = "monitoring"
    verbose_name = "Monitoring"

    def ready(self) -> None:
        from monitoring import disk_space, health_checks, metrics  # noqa: PLC0415  # models exist only now

        health_checks.register("database", health_checks.check_database)
        health_checks.register("disk", disk_space.check)
        metrics.register(metrics.MonitoringCollector())
        metrics.register(disk_space.DiskCollector())
