"""A file of the question matrix next to editions that start later: nothing is taken back that nobody has looked at."""

from datetime import datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from board.matrix.matrix_presenter import EditionDifferences
from closures.models import MatrixEdition
from closures.question_matrix import matrix_editions, matrix_sheet
from closures.safe_csv import write_csv
from engineers.models import Role, User
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
PATH = "/board/matrix/"


@pytest.fixture
def ruth() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


def edition(name: str, first_text: str) -> dict[str, object]:
    whole = matrix_editions.current_content()
    first, *others = whole["questions"]
    return {**whole, "edition": name, "questions": [{**first, "text": first_text}, *others]}


def schedule(name: str, first_text: str, *, by: User, days: int) -> datetime:
    starts_at = timezone.now() + timedelta(days=days)
    matrix_editions.import_edition(
        content=matrix_sheet.write_content(edition(name, first_text)),
        starts_at=starts_at,
        seen=matrix_editions.adjacent_editions(starts_at).names,
        by=by,
    )
    return starts_at


def preview_of(client: Client, name: str, first_text: str) -> HttpResponse:
    raw = write_csv(matrix_sheet.write_rows(edition(name, first_text)))
    return client.post(f"{PATH}preview/", {"file": SimpleUploadedFile("m.csv", raw)})


def confirm(client: Client, preview: HttpResponse, *, days: int | None = None) -> HttpResponse:
    """As the browser sends the form of the preview."""
    page = preview.context["page"]
    moment = timezone.localtime() + timedelta(days=days or 0)
    starts_at = f"{moment:%Y-%m-%dT%H:%M}" if days else ""
    sent = {"content": page.form["content"].value(), "seen": page.seen, "starts_at": starts_at}
    return client.post(f"{PATH}import/", sent)


def texts(differences: EditionDifferences) -> list[tuple[str, str]]:
    """Of the first question: before and after."""
    return [(cell.before, cell.after) for change in differences.changed for cell in change.cells]


def test_preview_lists_every_edition_to_come(ruth: User) -> None:
    schedule("four", "New year?", by=ruth, days=10)
    schedule("five", "Spring?", by=ruth, days=90)

    answer = preview_of(client_of(ruth), "mended", "Is it safe now?")

    page, html = answer.context["page"], answer.content.decode()
    assert (page.replaced, [later.edition for later in page.later]) == ("sample-3", ["four", "five"])
    assert texts(page.differences) == [("Is it safe to work here?", "Is it safe now?")]
    assert [texts(later.differences) for later in page.later] == [
        [("Is it safe now?", "New year?")],
        [("Is it safe now?", "Spring?")],
    ]
    assert f"four starts on {page.later[0].starts} and replaces this edition." in html
    assert [html.count(f'name="seen" value="{name}"') for name in ("sample-3", "four", "five")] == [1, 1, 1]
    assert confirm(client_of(ruth), answer).status_code == 302


def test_edition_imported_since_the_preview_is_looked_at_first(ruth: User) -> None:
    client = client_of(ruth)
    before = preview_of(client, "mended", "Is it safe now?")
    schedule("four", "New year?", by=ruth, days=10)

    refused = confirm(client, before)

    assert refused.status_code == 409
    assert "Check the differences again." in refused.content.decode()
    assert [later.edition for later in refused.context["page"].later] == ["four"]
    assert not MatrixEdition.objects.filter(edition="mended").exists()
    assert confirm(client, refused).status_code == 302


def test_file_that_starts_after_a_scheduled_one_is_compared_with_that(ruth: User) -> None:
    client = client_of(ruth)
    schedule("four", "New year?", by=ruth, days=10)
    before = preview_of(client, "mended", "Is it safe now?")

    refused = confirm(client, before, days=20)

    page = refused.context["page"]
    assert (refused.status_code, page.replaced, page.later) == (409, "four", [])
    assert texts(page.differences) == [("New year?", "Is it safe now?")]
    assert confirm(client, refused, days=20).status_code == 302


def test_content_without_the_editions_it_was_compared_with_is_refused(ruth: User) -> None:
    content = matrix_sheet.write_content(edition("mended", "Is it safe now?"))

    answer = client_of(ruth).post(f"{PATH}import/", {"content": content})

    assert (answer.status_code, MatrixEdition.objects.exists()) == (409, False)
