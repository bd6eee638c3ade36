"""What is downloaded: faultReport.txt, the schema that validates, and changeLog.txt (Endpoints, Versioning)."""

from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.faults import sample_values
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.soap import schemas

TEXT = "text/plain; charset=utf-8"


def give_schema(_: Request) -> Answer:
    return Answer(200, schemas.content(INTERFACE, INTERFACE.files[0]), content_type=TEXT)


def give_change_log(_: Request) -> Answer:
    """One file for the two interfaces: a heading and the ten newest changes of each (D18)."""
    parts = [
        "\n".join([heading, "=" * len(heading), *changes])
        for heading, changes in sample_values.read("change_log").items()
    ]
    return Answer(200, ("\n\n".join(parts) + "\n").encode(), content_type=TEXT)


DOWNLOADS = {"faultReport.txt": give_schema, "changeLog.txt": give_change_log}
