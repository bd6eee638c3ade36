from functools import partial

from django.apps import AppConfig
from django.conf import settings


class DiagnosticsConfig(AppConfig):
    name = "seller_sandbox.diagnostics"
    label = "sandbox_diagnostics"

    def ready(self) -> None:
        """Serve the operation to every known caller; which services each may test is its role's scope."""
        # models exist only now
        from seller_sandbox.diagnostics import (  # noqa: PLC0415
            caller_scopes,
            receiver,
            schema_download,
        )
        from seller_sandbox.diagnostics.caller_scopes import BUYER_SCOPE  # noqa: PLC0415
        from seller_sandbox.diagnostics.wire import requests  # noqa: PLC0415
        from seller_sandbox.diagnostics.wire.namespaces import INTERFACE  # noqa: PLC0415
        from seller_sandbox.endpoints import operations  # noqa: PLC0415
        from seller_sandbox.soap import arrivals  # noqa: PLC0415
        from seller_sandbox.soap.media_type import CHARSETS  # noqa: PLC0415

        caller_scopes.register("buyer", BUYER_SCOPE)
        refuse = partial(arrivals.refuse, interface=INTERFACE)
        # a partner may call the operation too, and nothing else here (D17)
        for base_path in settings.FAULT_BASE_PATHS:
            operations.register(
                path=f"{base_path}/{requests.NAME}",
                role="",
                receive=receiver.receive,
                note_unserved=receiver.note_unserved,
                refuse=refuse,
                media_types=("text/xml", "application/xml"),
                charsets=CHARSETS,
            )
            operations.register(
                path=f"{base_path}/{schema_download.NAME}",
                role="buyer",
                receive=schema_download.receive,
                methods=("GET",),
                refuse=refuse,
            )
