from django.apps import AppConfig


class AlertingConfig(AppConfig):
    name = "alerting"
    verbose_name = "Alarms to people"

    def ready(self) -> None:
        """The audit names channel and topic of a contact by their labels."""
        # models exist only now
        from alerting.models import AlarmTopic, Channel  # noqa: PLC0415
        from board.audit import audit_facts  # noqa: PLC0415

        audit_facts.register_choices("channel", Channel)
        audit_facts.register_choices("topic", AlarmTopic)
