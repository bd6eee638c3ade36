from django.apps import AppConfig


class PartnerApiConfig(AppConfig):
    name = "partner_api"
    verbose_name = "Interfaces for the partner's other systems"

    def ready(self) -> None:
        # models exist only now
        from monitoring import metrics  # noqa: PLC0415
        from partner_api.webhook_metrics import WebhookCollector  # noqa: PLC0415

        metrics.register_collector(WebhookCollector())
