from django.apps import AppConfig


class PartnerApiConfig(AppConfig):
    name = "partner_api"
    verbose_name = "Interfaces for the partner's other systems"

    def ready(self) -> None:
        # models exist only now
        from board.audit import audit_facts  # noqa: PLC0415
        from monitoring import metrics  # noqa: PLC0415
        from partner_api.exports import ExportKind  # noqa: PLC0415
        from partner_api.models import Scope, WebhookKind  # noqa: PLC0415
        from partner_api.webhook_metrics import WebhookCollector  # noqa: PLC0415

        audit_facts.register_choices("kind", ExportKind)
        audit_facts.register_choices("scopes", Scope)
        audit_facts.register_choices("kinds", WebhookKind)
        metrics.register_collector(WebhookCollector())
