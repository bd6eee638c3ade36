from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class DispatchConfig(AppConfig):
    name = "dispatch"
    verbose_name = gettext_lazy("Jobs")

    def ready(self) -> None:
        """The worker runs only tasks that are registered."""
        # models exist only now
        from dispatch.capacity import capacity_alarms  # noqa: PLC0415
        from dispatch.capacity import tasks as capacity_tasks  # noqa: F401, PLC0415
        from dispatch.planning import tasks  # noqa: F401, PLC0415
        from dispatch.planning.plan_metrics import PlanCollector  # noqa: PLC0415
        from monitoring import metrics  # noqa: PLC0415

        capacity_alarms.register_displays()
        metrics.register_collector(PlanCollector())
