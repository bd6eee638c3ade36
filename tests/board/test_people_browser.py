"""A supervisor adds an engineer, gives a day off, and finds both again; at a desk and on a small screen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, expect
from pytest_django.live_server_helper import LiveServer

from engineers.models import Area, Engineer, Role, Skill
from tests import make
from tests.board.windows import open_signed_in
from tests.servers.browser import PHONE, Window, open_window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def window(browser: Browser, live_server: LiveServer) -> Iterator[Window]:
    """Ruth's, who may change people."""
    ruth = make.dispatcher(username="ruth", role=Role.SUPERVISOR)
    opened = open_signed_in(browser, ruth, base_url=live_server.url)
    yield opened
    opened.page.context.close()


def test_supervisor_adds_an_engineer_and_a_day_off(window: Window) -> None:
    Area.objects.create(name="Leeds North", postcodes="LS32")
    Skill.objects.create(code="mdu", name="MDU")
    Skill.objects.create(code="cherry-picker", name="Cherry picker")
    page = window.page
    page.goto("/board/")
    page.get_by_role("link", name="People").click()
    expect(page.get_by_text("No engineers yet.")).to_be_visible()
    page.get_by_role("link", name="Add engineer").click()

    expect(page.get_by_role("heading", name="Add engineer")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Erin Moss")
    page.get_by_label("User name").fill("erin")
    page.get_by_label("Staff number").fill("E900")
    page.get_by_role("textbox", name="Phone number").fill("07700 900123")
    page.get_by_label("Area").select_option("Leeds North")
    page.get_by_label("Multi-dwelling units", exact=True).check()
    page.get_by_label("Multi-dwelling units: last day").fill("2026-11-30")
    expect(page.get_by_label("Monday, Week B")).to_be_hidden()
    page.get_by_label("Two weeks in turn").check()
    page.get_by_label("Monday, Week B").fill("12-8")
    window.looked_at("people-form")
    page.get_by_label("Staff number").press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("the end must be after the start")
    window.looked_at("people-form-refused")
    page.get_by_label("Monday, Week B").fill("12-20")
    page.get_by_role("button", name="Add engineer").click()

    expect(page.get_by_role("heading", name="Erin Moss")).to_be_visible()
    page.locator("summary", has_text="Add absence").click()
    page.get_by_label("First day", exact=True).fill(f"{make.DAY:%Y-%m-%d}")
    page.get_by_role("button", name="Add absence").click()
    expect(page.get_by_text("Absence added: Mon 23 Nov.")).to_be_visible()
    page.goto(f"{page.url}?month=2026-11")
    expect(page.locator(".people-away")).to_have_count(1)
    window.looked_at("people-engineer")

    page.get_by_role("link", name="Engineers").click()
    expect(page.get_by_role("row", name="Erin Moss")).to_be_visible()
    window.looked_at("people-list")


def test_pages_about_people_fit_a_small_screen(window: Window) -> None:
    engineer = make.engineer()
    window.page.set_viewport_size(PHONE["viewport"])
    for name, path in (("list", ""), ("engineer", f"{engineer.pk}/"), ("form", f"{engineer.pk}/edit/")):
        window.page.goto(f"/board/people/{path}")
        expect(window.page.locator("h1")).to_be_visible()
        window.fits_its_width()
        window.looked_at(f"people-small-{name}")
    assert Engineer.objects.count() == 1


def test_new_engineer_starts_on_the_phone_with_a_link(
    browser: Browser, window: Window, live_server: LiveServer
) -> None:
    engineer = make.engineer(username="erin")
    engineer.user.set_unusable_password()
    engineer.user.save()
    window.page.goto(f"/board/people/{engineer.pk}/")
    window.page.get_by_role("button", name="Create sign-in link").click()

    picture = window.page.get_by_alt_text("QR code of the sign-in link")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth > 100")
    window.looked_at("people-link")
    path = window.page.get_by_label("Link").input_value().removeprefix("http://127.0.0.1:8000")
    phone = open_window(browser, base_url=live_server.url, kind=PHONE)
    phone.page.goto(path)
    expect(phone.page.get_by_role("heading", name="Welcome, Erin Engineer")).to_be_visible()
    phone.looked_at("phone-start")
    phone.page.get_by_label("New password", exact=True).fill("another horse battery")
    phone.page.get_by_label("New password confirmation").fill("another horse battery")
    phone.page.get_by_role("button", name="Save password and sign in").click()

    expect(phone.page).to_have_url(f"{live_server.url}/phone/")
    phone.page.context.close()
    window.page.goto(f"/board/people/{engineer.pk}/")
    expect(window.page.get_by_role("button", name="Sign out everywhere")).to_be_visible()


def test_supervisor_imports_engineers_after_a_look(window: Window) -> None:
    page = window.page
    page.goto("/board/people/")
    page.get_by_role("link", name="Import engineers").click()
    header = "user_name;name;staff_number;phone\r\n"
    broken = header + "erin;Erin Moss;E900;07700 900123\r\nowen;;E901;07700 900124\r\n"
    whole = broken.replace("owen;;", "owen;Owen Ash;")

    def choose(text: str) -> None:
        file: FilePayload = {
            "name": "engineers.csv",
            "mimeType": "text/csv",
            "buffer": text.encode("utf-8-sig"),
        }
        page.get_by_label("CSV file").set_input_files(file)
        page.get_by_role("button", name="Check the file").click()

    choose(broken)
    expect(page.get_by_text("Name: This field is required.")).to_be_visible()
    expect(page.get_by_role("button", name="Import these engineers")).to_have_count(0)
    window.looked_at("people-import-refused")
    choose(whole)
    expect(page.get_by_text("2 new")).to_be_visible()
    window.looked_at("people-import")
    assert not Engineer.objects.exists()
    page.get_by_role("button", name="Import these engineers").click()

    expect(page.get_by_text("2 engineers were added.")).to_be_visible()
    assert Engineer.objects.count() == 2


def test_result_of_an_imported_row_is_in_sight_whatever_its_name(window: Window) -> None:
    page = window.page
    page.goto("/board/people/import/")
    raw = f"staff_number;name\nE900;{'x' * 200}\n".encode()
    page.get_by_label("CSV file").set_input_files(FilePayload(name="e.csv", mimeType="text/csv", buffer=raw))
    page.get_by_role("button", name="Check the file").click()
    page.wait_for_load_state()

    expect(page.locator(".people-problems li").first).to_be_in_viewport(ratio=1)
    rows = page.get_by_role("region", name="Rows of the file")
    assert rows.evaluate("box => box.scrollWidth - box.clientWidth") == 0
