from django.apps import AppConfig


class OrdersConfig(AppConfig):
    name = "seller_sandbox.orders"
    label = "sandbox_orders"

    def ready(self) -> None:
        """Let buyers in and notifications out; what falls due must be known in each process, whoever does it."""
        # models exist only now
        from seller_sandbox.endpoints import callers, operations  # noqa: PLC0415
        from seller_sandbox.jobs.signals import job_changed, job_to_be_locked  # noqa: PLC0415
        from seller_sandbox.messages import channels  # noqa: PLC0415
        from seller_sandbox.messages.models import ThreadKind  # noqa: PLC0415
        from seller_sandbox.network import buyers  # noqa: PLC0415
        from seller_sandbox.orders import (  # noqa: PLC0415
            fulfilment,  # noqa: F401
            notifying,
            receiver,
            schema_downloads,
            visit_results,
        )
        from seller_sandbox.orders.appointments import missed_visits  # noqa: PLC0415
        from seller_sandbox.orders.wire import paths  # noqa: PLC0415
        from seller_sandbox.soap import arrivals  # noqa: PLC0415
        from seller_sandbox.soap.media_type import CHARSETS, MEDIA_TYPE  # noqa: PLC0415

        channels.register(ThreadKind.ORDER, notifying.CHANNEL)
        callers.register("buyer", buyers.has_subject)
        for path in paths.PATHS:
            operations.register(
                path=path,
                role="buyer",
                receive=receiver.receive,
                note_unserved=receiver.note_unserved,
                refuse=arrivals.refuse,
                media_types=(MEDIA_TYPE,),
                charsets=CHARSETS,
            )
        for path in schema_downloads.paths():
            operations.register(path=path, role="", receive=schema_downloads.receive, methods=("GET",))
        job_to_be_locked.connect(visit_results.lock_order, dispatch_uid="orders")
        job_changed.connect(missed_visits.on_job_changed, dispatch_uid="orders.arrivals")
        job_changed.connect(visit_results.on_job_changed, dispatch_uid="orders")
