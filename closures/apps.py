from django.apps import AppConfig


class ClosuresConfig(AppConfig):
    name = "closures"
    verbose_name = "Closures"

    def ready(self) -> None:
        """A broken question matrix, new or old, stops the start, not the first engineer of the day."""
        # models exist only now
        from closures import site_safety, tasks  # noqa: PLC0415
        from closures.photos import direct_upload, evidence  # noqa: PLC0415
        from closures.photos.evidence import photo_stored  # noqa: PLC0415
        from closures.photos.evidence_metrics import EvidenceCollector  # noqa: PLC0415
        from closures.photos.thumbnails import thumbnail_failed  # noqa: PLC0415
        from closures.question_matrix.matrix import configured_matrix, matrices_of_files  # noqa: PLC0415
        from closures.question_matrix.translations import name_for_reader, text_for_reader  # noqa: PLC0415
        from dispatch import sync_conflicts  # noqa: PLC0415
        from dispatch.sync_conflicts import RuleName  # noqa: PLC0415
        from monitoring import coded_texts, health_checks, metrics  # noqa: PLC0415

        # a bucket's libraries take a while: the first phone and the first look at the health do not wait for them
        evidence.storage()
        configured_matrix()
        matrices_of_files()
        health_checks.register_check("evidence", direct_upload.check_bucket)
        photo_stored.connect(tasks.on_photo_stored, dispatch_uid="thumbnail")
        thumbnail_failed.connect(tasks.on_thumbnail_failed, dispatch_uid="thumbnail_failed")
        metrics.register_collector(EvidenceCollector())
        coded_texts.register_display("code", name_for_reader)
        sync_conflicts.register_reason_display(RuleName.CLOSED_BY_OFFICE, text_for_reader)
        coded_texts.register_translation("site_unsafe", site_safety.translate_alarm)
