"""The contract as a page and as a file, from one document."""

import json

import pytest

from seller_link.wire import openapi
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


def test_page_names_every_operation_and_every_refusal() -> None:
    text = signed_in().get("/board/api-docs/").content.decode()

    document = openapi.document()
    for path, operation in document["paths"].items():
        assert f'<h3 id="{operation["post"]["operationId"]}">{path.removeprefix("/")} <span' in text
    for code in ("messageIdReused", "tryAgain", "installationStarted"):
        assert code in text


def test_file_is_the_document() -> None:
    answer = signed_in().get("/board/api-docs/openapi.json")

    assert answer["Content-Type"] == "application/json"
    assert json.loads(answer.content) == openapi.document()
