"""The pages of the question matrix: nothing before the confirmation, every broken rule with its row, each name once."""

import json
import re
from datetime import timedelta
from threading import Barrier, Thread
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from board import formatting
from closures.models import MatrixEdition
from closures.question_matrix import matrix_editions, matrix_sheet, sheet_files
from closures.safe_csv import write_csv
from engineers.models import AuditEntry, Role
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
PATH = "/board/matrix/"


@pytest.fixture
def ruth() -> Client:
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


def changed_rows() -> list[list[object]]:
    """The sample with a new name, without its last question, and with the first one in other words."""
    whole = matrix_editions.current_content()
    questions = [{**question} for question in whole["questions"][:-1]]
    questions[0]["text"] = "Is it <b>safe</b> here?"
    return matrix_sheet.write_rows({**whole, "edition": "operator-1", "name": "Ours", "questions": questions})


def upload(client: Client, raw: bytes) -> HttpResponse:
    return client.post(f"{PATH}preview/", {"file": SimpleUploadedFile("m.csv", raw)})


def confirm(client: Client, preview: HttpResponse, starts_at: str = "") -> HttpResponse:
    """As the browser sends the form of the preview."""
    page = preview.context["page"]
    sent = {"content": page.form["content"].value(), "seen": page.seen, "starts_at": starts_at}
    return client.post(f"{PATH}import/", sent)


def preview_of(client: Client, *, is_xlsx: bool = False) -> HttpResponse:
    rows = changed_rows()
    raw = sheet_files.write_xlsx(rows, title="M") if is_xlsx else write_csv(rows)
    return upload(client, raw)


@pytest.mark.parametrize("is_xlsx", [False, True])
def test_file_is_looked_at_then_imported(ruth: Client, is_xlsx: bool) -> None:
    last = matrix_editions.current_content()["questions"][-1]["code"]
    preview = preview_of(ruth, is_xlsx=is_xlsx)
    page, text = preview.context["page"], preview.content.decode()
    assert [code for code, _text in page.differences.removed] == [last]
    assert [
        (change.code, change.cells[0].before, change.cells[0].after) for change in page.differences.changed
    ] == [("SAF01", "Is it safe to work here?", "Is it <b>safe</b> here?")]
    assert "<b>safe" not in text
    assert {picture.job_type for picture in page.pictures} == {
        "installation",
        "revisit",
        "external",
        "civils",
    }
    assert "SAF01 = no" in text
    assert not MatrixEdition.objects.exists()

    assert confirm(ruth, preview).headers["Location"] == PATH

    stored = MatrixEdition.objects.get()
    assert (stored.edition, stored.name, stored.imported_by.username) == ("operator-1", "Ours", "ruth")
    assert matrix_editions.current_matrix().edition == "operator-1"
    assert AuditEntry.objects.filter(action="matrix_edition_imported", subject="operator-1").count() == 1
    listed = ruth.get(PATH).context["page"].lines
    assert [(line.edition, line.is_current) for line in listed] == [("operator-1", True), ("sample-3", False)]
    imported_at = formatting.format_exact_moment(stored.imported_at)
    assert [line.imported_at for line in listed] == [imported_at, ""]


@pytest.mark.parametrize(("language", "name"), [("en", "Site unsafe (HAZ)"), ("de", "Ort unsicher (HAZ)")])
def test_flow_names_the_outcomes_of_its_job_type(ruth: Client, language: str, name: str) -> None:
    pictures = ruth.get(PATH, headers={"Accept-Language": language}).context["page"].pictures

    boxes = {
        picture.job_type: {box.code: box for stage in picture.stages for box in stage.boxes}
        for picture in pictures
    }
    hazard = boxes["installation"]["HAZ01"]
    assert (hazard.closures, hazard.outcomes) == ("HAZ", [name])
    assert boxes["revisit"]["HAZ01"].closures == "REVHAZ"


def test_edition_waits_for_its_start(ruth: Client) -> None:
    starts_at = timezone.localtime() + timedelta(hours=2)

    confirm(ruth, preview_of(ruth), f"{starts_at:%Y-%m-%dT%H:%M}")

    assert matrix_editions.current_matrix().edition == "sample-3"
    assert matrix_editions.matrix_at(starts_at).edition == "operator-1"
    assert "Not started yet" in ruth.get(PATH).content.decode()


@pytest.mark.parametrize(
    ("starts_at", "status"),
    [("2020-01-01T08:00", 409), ("soon", 400), ("0001-01-01T00:00", 400), ("9999-12-31T23:59", 400)],
)
def test_start_that_is_none_is_refused_and_the_content_stays(
    ruth: Client, starts_at: str, status: int
) -> None:
    answer = confirm(ruth, preview_of(ruth), starts_at)

    assert answer.status_code == status
    assert not MatrixEdition.objects.exists()
    assert confirm(ruth, answer).status_code == 302


def test_every_broken_row_is_listed(ruth: Client) -> None:
    rows = changed_rows()
    rows[5][1], rows[6][3] = "", "essay"

    answer = upload(ruth, write_csv(rows))

    assert answer.status_code == 400
    assert [row.row for row in answer.context["page"].rows][:2] == [6, 7]
    assert "Import this edition" not in answer.content.decode()


@pytest.mark.parametrize("name", ["sample-1", "sample-3", "operator-1"])
def test_name_that_exists_is_refused_with_what_to_do(ruth: Client, name: str) -> None:
    confirm(ruth, preview_of(ruth))
    rows = changed_rows()
    rows[0][1] = name

    answer = confirm(ruth, upload(ruth, write_csv(rows)))

    assert answer.status_code == 409
    assert f"The edition {name} exists already. Give this one a new name" in answer.content.decode()
    assert MatrixEdition.objects.count() == 1


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "not json", '{"edition": "x"}', "9" * 1_500_001, "[" * 99_999]
)
def test_content_that_was_changed_on_the_way_is_refused(ruth: Client, content: str) -> None:
    answer = ruth.post(f"{PATH}import/", {"content": content})

    assert answer.status_code == 400
    assert "Choose the file again." in answer.content.decode()
    assert not MatrixEdition.objects.exists()


@pytest.mark.parametrize("sign", ["\\ud800", "\\u0000", "\\u000b", "\\f", "\\u001f"])
def test_character_that_cannot_be_stored_is_refused(ruth: Client, sign: str) -> None:
    content = json.dumps({**matrix_editions.current_content(), "edition": "op-1", "name": "X"})

    answer = ruth.post(f"{PATH}import/", {"content": content.replace('"X"', f'"X{sign}"')})

    assert (answer.status_code, MatrixEdition.objects.exists()) == (400, False)


def test_backslash_of_a_text_is_no_control_character(ruth: Client) -> None:
    content = json.dumps({**matrix_editions.current_content(), "edition": "op-1", "name": r"\u0000 \b \f"})

    ruth.post(f"{PATH}import/", {"content": content, "seen": ["sample-3"]})

    assert MatrixEdition.objects.get().name == r"\u0000 \b \f"


def test_file_that_is_none_is_refused(ruth: Client) -> None:
    sentences = {
        b"PK\x03\x04 no zip": "This is not a readable XLSX file.",
        b"a;b\n1;2": "No row begins with “code”.",
        b"": "Choose a CSV or XLSX file.",
        "code;Größe".encode("cp1252"): "Unknown columns: größe.",
        b"code;\x81": "This is not a text file.",
    }
    for raw, sentence in sentences.items():
        answer = upload(ruth, raw)
        assert (answer.status_code, escape(sentence) in answer.content.decode()) == (400, True)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_template_is_the_current_edition(ruth: Client, ending: str) -> None:
    answer = ruth.get(f"{PATH}template.{ending}")
    sheet = matrix_sheet.read_matrix(sheet_files.read_sheet(answer.content))

    assert re.search(rf'filename="question-matrix\.{ending}"', answer.headers["Content-Disposition"])
    assert json.loads(sheet.content) == matrix_editions.current_content()


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_each_edition_of_the_list_can_be_downloaded(ruth: Client, ending: str) -> None:
    replaced = matrix_editions.current_content()
    confirm(ruth, preview_of(ruth))
    listed = re.findall(rf'href="({PATH}template\.{ending}\?[^"]+)"', ruth.get(PATH).content.decode())

    sheets = [matrix_sheet.read_matrix(sheet_files.read_sheet(ruth.get(link).content)) for link in listed]

    downloaded = {json.loads(sheet.content)["edition"]: json.loads(sheet.content) for sheet in sheets}
    assert downloaded == {
        edition: matrix_editions.content_of(edition) for edition in ("operator-1", replaced["edition"])
    }


@pytest.mark.parametrize("edition", ["nobody-has-it", "\ud800", "x" * 5000])
def test_edition_that_is_none_is_not_found(ruth: Client, edition: str) -> None:
    address = f"{PATH}template.csv?edition={quote(edition, errors='surrogatepass')}"

    assert ruth.get(address).status_code == 404


def test_dispatchers_have_no_matrix_pages() -> None:
    client = client_of(make.dispatcher())

    for path in ("", "template.csv", "template.xlsx"):
        assert client.get(f"{PATH}{path}").status_code == 403
    for path in ("preview/", "import/"):
        assert client.post(f"{PATH}{path}").status_code == 403
    assert PATH not in client.get("/board/people/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_leave_one_edition() -> None:
    clients = [client_of(make.dispatcher(username=name, role=Role.SUPERVISOR)) for name in ("ruth", "rob")]
    preview = preview_of(clients[0])
    barrier, statuses = Barrier(2), []

    def send(client: Client) -> None:
        barrier.wait()
        statuses.append(confirm(client, preview).status_code)
        connection.close()

    threads = [Thread(target=send, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [302, 409]
    assert MatrixEdition.objects.count() == 1
