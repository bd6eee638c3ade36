from django.apps import AppConfig


class CustomerMessagesConfig(AppConfig):
    name = "customer_messages"
    verbose_name = "Messages to customers"

    def ready(self) -> None:
        """The worker runs only tasks that are registered."""
        from customer_messages import tasks  # noqa: F401, PLC0415  # models exist only now
