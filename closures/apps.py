from django.apps import AppConfig


class ClosuresConfig(AppConfig):
    name = "closures"
    verbose_name = "Closures"

    def ready(self) -> None:
        """A broken question matrix, new or old, stops the start, not the first engineer of the day."""
        # models exist only now
        from closures import direct_upload, evidence, matrix_versions, tasks  # noqa: PLC0415
        from closures.evidence import photo_stored, write_failed  # noqa: PLC0415
        from closures.thumbnails import photo_set_aside  # noqa: PLC0415
        from monitoring import health_checks  # noqa: PLC0415

        matrix_versions.current_matrix()
        matrix_versions.all_versions()
        health_checks.register_check("evidence", direct_upload.check_bucket)
        photo_stored.connect(tasks.on_photo_stored, dispatch_uid="thumbnail")
        photo_stored.connect(evidence.on_photo_stored, dispatch_uid="evidence_available")
        write_failed.connect(evidence.on_write_failed, dispatch_uid="evidence_unavailable")
        photo_set_aside.connect(tasks.on_thumbnail_failed, dispatch_uid="set_aside")
