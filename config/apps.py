from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Fibre dispatch"

    def ready(self) -> None:
        from closures.evidence import photo_stored  # noqa: PLC0415  # models exist only now
        from closures.thumbnails import photo_set_aside  # noqa: PLC0415
        from config import checks, notices, tasks  # noqa: F401, PLC0415  # the checks register themselves
        from dispatch.history import job_event_recorded  # noqa: PLC0415

        photo_stored.connect(tasks.on_photo_stored, dispatch_uid="thumbnail")
        photo_set_aside.connect(tasks.on_photo_set_aside, dispatch_uid="set_aside")
        job_event_recorded.connect(notices.on_job_event, dispatch_uid="notices")
