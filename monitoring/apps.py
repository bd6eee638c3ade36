from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    name = "monitoring"
    verbose_name = "Monitoring"

    def ready(self) -> None:
        from monitoring import database_metrics, health_checks, metrics, web_metrics  # noqa: PLC0415  # models exist only now

        health_checks.register_check("database", health_checks.check_database)
        health_checks.register_check("disk", health_checks.check_disk_space)
        metrics.register_collector(metrics.MonitoringCollector())
        metrics.register_collector(health_checks.DiskCollector())
        metrics.register_collector(web_metrics.WebCollector())
        metrics.register_collector(database_metrics.DatabaseCollector())
