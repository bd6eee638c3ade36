from functools import partial

from django.apps import AppConfig


class BackgroundConfig(AppConfig):
    name = "background"
    verbose_name = "Background work"

    def ready(self) -> None:
        from background import broker, tasks  # noqa: F401, PLC0415  # the tasks register themselves
        from background.task_metrics import TaskCollector  # noqa: PLC0415
        from monitoring import health_checks, heartbeats, metrics  # noqa: PLC0415

        health_checks.register_check("redis", broker.check_redis)
        check_worker = partial(heartbeats.check_heartbeat, heartbeats.WORKER)
        health_checks.register_check("worker", check_worker, is_dispensable=True)
        metrics.register_collector(TaskCollector())
