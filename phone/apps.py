from django.apps import AppConfig


class PhoneConfig(AppConfig):
    name = "phone"
    verbose_name = "Phone"

    def ready(self) -> None:
        from dispatch.job_events import job_event_recorded  # noqa: PLC0415  # models exist only now
        from monitoring import metrics  # noqa: PLC0415
        from phone import notifications  # noqa: PLC0415
        from phone.sync_times import PhoneCollector  # noqa: PLC0415

        job_event_recorded.connect(notifications.on_job_event, dispatch_uid="notifications")
        metrics.register_collector(PhoneCollector())
