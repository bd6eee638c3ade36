from django.apps import AppConfig


class FaultsConfig(AppConfig):
    name = "seller_sandbox.faults"
    label = "sandbox_faults"

    def ready(self) -> None:
        """Let buyers in and notifications out; what falls due must be known in each process, whoever does it."""
        # models exist only now
        from seller_sandbox.faults import holds, notifying, operations, silence  # noqa: PLC0415, F401
        from seller_sandbox.messages import channels  # noqa: PLC0415
        from seller_sandbox.messages.models import ThreadKind  # noqa: PLC0415

        channels.register(ThreadKind.TICKET, notifying.CHANNEL)
        operations.register()
