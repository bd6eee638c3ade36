"""Serves the interface below its base paths: production, staging and system integration test (Authentication 3)."""

from functools import partial

from django.conf import settings

from seller_sandbox.endpoints import operations
from seller_sandbox.faults import downloads, receiver
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.faults.wire.request_layouts import PATHS
from seller_sandbox.soap import arrivals
from seller_sandbox.soap.media_type import CHARSETS

# Transport says an XML body and no more (D18)
MEDIA_TYPES = ("text/xml", "application/xml")
refuse = partial(arrivals.refuse, interface=INTERFACE)


def register() -> None:
    """Every operation, download and refusal below each base path."""
    for base in settings.FAULT_BASE_PATHS:
        operations.register_folder(base, refuse=refuse)
        for path in PATHS:
            operations.register(
                path=f"{base}/{path}",
                role="buyer",
                receive=receiver.receive,
                note_unserved=receiver.note_unserved,
                refuse=refuse,
                media_types=MEDIA_TYPES,
                charsets=CHARSETS,
            )
        for name, download in downloads.DOWNLOADS.items():
            operations.register(
                path=f"{base}/{name}",
                role="buyer",
                receive=download,
                methods=("GET",),
                refuse=refuse,
            )
