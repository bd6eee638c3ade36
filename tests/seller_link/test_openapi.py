"""The document for integrators says what the schemas and the server say."""

import json
from typing import Any

import pytest
from django.core.management import call_command
from openapi_spec_validator import validate

from seller_link.wire import contract, openapi, refusals
from tests.conventions.sources import ROOT

DOCUMENT = ROOT / "docs" / "seller-link.openapi.json"


def test_kept_document_is_the_generated_one(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("openapi")

    assert capsys.readouterr().out == DOCUMENT.read_text(), (
        "manage.py openapi > docs/seller-link.openapi.json"
    )


def test_document_is_openapi_3_1() -> None:
    validate(json.loads(DOCUMENT.read_text()))


def request_examples() -> list[tuple[str, dict[str, Any]]]:
    found = []
    document = openapi.document()
    for operation in [*document["paths"].values(), *document["webhooks"].values()]:
        content = operation["post"]["requestBody"]["content"]["application/json"]
        schema = content["schema"]["$ref"].rpartition("/")[2]
        found += [(schema, example["value"]) for example in content["examples"].values()]
    return found


@pytest.mark.parametrize(("schema", "example"), request_examples())
def test_every_example_keeps_its_schema(schema: str, example: dict[str, Any]) -> None:
    assert contract.problems(schema, example) == []


def test_there_is_an_example_for_every_event() -> None:
    assert {example.get("event") for _schema, example in request_examples()} >= {
        "engineerAssigned",
        "enRoute",
        "onSite",
        "ontScanned",
        "ontProvisioned",
    }


def test_every_refusal_of_the_server_is_documented() -> None:
    documented = {
        (status, code)
        for path in openapi.document()["paths"].values()
        for status, response in path["post"]["responses"].items()
        for code in response["content"]["application/json"].get("examples", {})
    }
    known = {
        (str(refusal.status), refusal.faultcode)
        for refusal in (
            refusals.invalid_body(""),
            refusals.invalid_message([]),
            refusals.missing_credentials(),
            refusals.access_denied(),
            refusals.method_not_allowed(),
            refusals.too_large(1),
            refusals.unsupported_media_type(),
            refusals.retry_later(),
            refusals.job_not_found(),
            refusals.duplicate_job("J-1", is_closed=False, is_started=False),
            refusals.job_cancelled("J-1"),
            refusals.message_id_reused(),
            refusals.installation_started(),
            refusals.job_closed(),
        )
    }
    assert documented == known
