"""A supervisor imports an edition of the question matrix, first a broken one; at a desk and on a small screen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, expect
from pytest_django.live_server_helper import LiveServer

from closures.models import MatrixEdition
from closures.question_matrix import matrix_editions, matrix_sheet, sheet_files
from engineers.models import Role
from tests import make
from tests.servers.browser import DESKTOP, PHONE, Window, chromium, log_in, open_window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def sheet(*, first_text: str) -> FilePayload:
    whole = matrix_editions.current_content()
    questions = [{**whole["questions"][0], "text": first_text}, *whole["questions"][1:-1]]
    rows = matrix_sheet.write_rows({**whole, "edition": "operator-1", "questions": questions})
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return {"name": "m.xlsx", "mimeType": kind, "buffer": sheet_files.write_xlsx(rows, title="Matrix")}


def choose(window: Window, file: FilePayload) -> None:
    window.page.get_by_label("CSV or XLSX file").set_input_files(file)
    window.page.get_by_role("button", name="Check the file").click()


def story(window: Window, name: str) -> None:
    """From the first page to the imported edition."""
    page = window.page
    log_in(window, username="ruth", password=make.PASSWORD)
    page.goto("/board/people/")
    page.get_by_role("link", name="Question matrix").first.click()
    expect(page.get_by_role("heading", name="Question matrix")).to_be_visible()
    window.looked_at(f"matrix-{name}")
    choose(window, sheet(first_text=""))
    expect(page.get_by_role("row", name="SAF01 `text` must be a text")).to_be_visible()
    window.fits_its_width()
    window.looked_at(f"matrix-errors-{name}")
    choose(window, sheet(first_text="Is the site safe?"))
    expect(page.get_by_text("Is the site safe?").first).to_be_visible()
    page.locator("summary", has_text="Flow: Installation").click()
    expect(page.get_by_role("img", name="Questions of the job type Installation")).to_be_visible()
    window.fits_its_width()
    window.looked_at(f"matrix-preview-{name}")
    page.get_by_role("button", name="Import this edition").click()
    expect(page.get_by_text("Edition operator-1 imported.")).to_be_visible()
    expect(page.get_by_role("row", name="operator-1 Current")).to_be_visible()
    assert MatrixEdition.objects.count() == 1


@pytest.mark.parametrize(("kind", "name"), [(DESKTOP, "wide"), (PHONE, "small")], ids=["wide", "small"])
def test_supervisor_imports_an_edition(
    browser: Browser, live_server: LiveServer, kind: dict[str, object], name: str
) -> None:
    make.dispatcher(username="ruth", role=Role.SUPERVISOR)
    window = open_window(browser, base_url=live_server.url, kind=kind)
    story(window, name)
    window.page.context.close()
