from django.apps import AppConfig


class SellerLinkConfig(AppConfig):
    name = "seller_link"
    verbose_name = "Seller link"

    def ready(self) -> None:
        from dispatch.history import job_event_recorded  # noqa: PLC0415  # models exist only now
        from seller_link.outbox import enqueue_for_event  # noqa: PLC0415

        job_event_recorded.connect(enqueue_for_event, dispatch_uid="outbox")
