from django.apps import AppConfig


class SellerLinkConfig(AppConfig):
    name = "seller_link"
    verbose_name = "Seller link"

    def ready(self) -> None:
        from dispatch.job_events import job_event_recorded  # noqa: PLC0415  # models exist only now
        from monitoring import coded_texts, health_checks, metrics  # noqa: PLC0415
        from seller_link import certificate_expiry, checks  # noqa: F401, PLC0415
        from seller_link.metrics import LinkCollector  # noqa: PLC0415
        from seller_link.outbox import enqueue_for_event  # noqa: PLC0415

        job_event_recorded.connect(enqueue_for_event, dispatch_uid="outbox")
        health_checks.register_check("relay", certificate_expiry.check_relay)
        # the pages work without one; a proxy would take every web server out of use
        health_checks.register_check(
            "seller_server", certificate_expiry.check_seller_server, is_dispensable=True
        )
        health_checks.register_check("certificates", certificate_expiry.check_certificates)
        metrics.register_collector(LinkCollector())
        coded_texts.register_display("certificate", certificate_expiry.label_of)
