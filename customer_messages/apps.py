from django.apps import AppConfig


class CustomerMessagesConfig(AppConfig):
    name = "customer_messages"
    verbose_name = "Messages to customers"

    def ready(self) -> None:
        """The worker runs only tasks that are registered."""
        # models exist only now
        from board.audit import audit_facts  # noqa: PLC0415
        from customer_messages import tasks  # noqa: F401, PLC0415
        from customer_messages.message_metrics import CustomerMessageCollector  # noqa: PLC0415
        from customer_messages.models import CustomerMessageKind  # noqa: PLC0415
        from monitoring import metrics  # noqa: PLC0415

        audit_facts.register_choices("kind", CustomerMessageKind)
        metrics.register_collector(CustomerMessageCollector())
