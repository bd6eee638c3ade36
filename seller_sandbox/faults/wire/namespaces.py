"""The namespace and the schema of the fault ticketing interface, served as faultReport.txt."""

from pathlib import Path

from seller_sandbox.soap.interfaces import Interface

INTERFACE_VERSION = "1.1"
INTERFACE = Interface(
    namespace="urn:sandbox-seller:faults",
    page="docs/fault-messages.md",
    folder=Path(__file__).parent / "schemas",
    files=("faultReport.xsd",),
)
tag = INTERFACE.tag
