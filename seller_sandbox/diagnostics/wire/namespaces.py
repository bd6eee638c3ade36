"""The namespace and the schema of the diagnostics interface, served as serviceDiagnostics.txt."""

from pathlib import Path

from seller_sandbox.soap.interfaces import Interface

INTERFACE_VERSION = "1.1"
INTERFACE = Interface(
    namespace="urn:sandbox-seller:diagnostics",
    page="docs/diagnostics-messages.md",
    folder=Path(__file__).parent / "schemas",
    files=("serviceDiagnostics.xsd",),
)
tag = INTERFACE.tag
