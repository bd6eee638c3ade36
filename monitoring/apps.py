from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    name = "monitoring"
    verbose_name = "Monitoring"

    def ready(self) -> None:
        # models exist only now
        from monitoring import (  # noqa: PLC0415
            coded_texts,
            database_metrics,
            health_checks,
            metrics,
            process_labels,
            web_metrics,
        )

        coded_texts.register_display("process_kind", process_labels.process_label)
        health_checks.register_check("database", health_checks.check_database)
        health_checks.register_check("disk", health_checks.check_disk_space)
        metrics.register_collector(metrics.MonitoringCollector())
        metrics.register_collector(health_checks.DiskCollector())
        metrics.register_collector(web_metrics.WebCollector())
        metrics.register_collector(database_metrics.DatabaseCollector())
