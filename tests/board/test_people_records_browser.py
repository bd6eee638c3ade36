"""Areas, skills and office accounts in a browser: added, changed and removed by a supervisor, at a desk and on a small
screen, in both languages."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from engineers.models import Area, Engineer, Role, Skill
from tests import make
from tests.board.windows import open_signed_in
from tests.servers.browser import PHONE, Window, open_window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def window(browser: Browser, live_server: LiveServer) -> Iterator[Window]:
    ruth = make.dispatcher(username="ruth", role=Role.SUPERVISOR)
    opened = open_signed_in(browser, ruth, base_url=live_server.url)
    yield opened
    opened.page.context.close()


def test_area_is_added_given_to_an_engineer_and_deleted_when_empty(window: Window) -> None:
    engineer, page = make.engineer(name="Kasia Nowak"), window.page
    make.job()
    page.goto("/board/people/")
    page.get_by_role("link", name="Areas").click()
    expect(page.get_by_text("No areas yet.")).to_be_visible()
    window.looked_at("areas-empty")
    for name, postcodes in (("Leeds North", "ls6, ls7"), ("Leeds West", "LS12")):
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Postcodes").fill(postcodes)
        page.get_by_role("button", name="Add area").click()
        expect(page.get_by_text(f"{name} was added.")).to_be_visible()

    page.goto(f"/board/people/{engineer.pk}/edit/")
    page.get_by_label("Main area").select_option("Leeds North")
    page.get_by_role("checkbox", name="Leeds West").check()
    window.looked_at("people-form-areas")
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("Leeds North (main area), Leeds West")).to_be_visible()

    page.goto("/board/people/areas/")
    row = page.get_by_role("row", name="Leeds North")
    expect(row).to_contain_text("LS6 LS7")
    window.looked_at("areas")
    page.get_by_role("link", name="Leeds West").click()
    expect(page.get_by_text("Give this engineer another area first.")).to_be_visible()
    window.looked_at("area")
    page.get_by_label("Name", exact=True).fill("LEEDS NORTH")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Another area has this name.")
    window.looked_at("area-refused")

    Engineer.objects.get(pk=engineer.pk).further_areas.clear()
    page.goto(f"/board/people/areas/{Area.objects.get(name='Leeds West').pk}/")
    page.get_by_role("button", name="Delete area").click()
    expect(page.get_by_text("Leeds West was deleted.")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(2)


def test_skill_is_added_renamed_and_removed(window: Window) -> None:
    engineer, page = make.engineer(skills=("mdu", "civils")), window.page
    engineer.held_skills.filter(skill__code="mdu").update(expires_on=timezone.localdate() + timedelta(days=3))
    page.goto("/board/people/")
    page.get_by_role("link", name="Skills").click()
    expect(page.get_by_text("1 expires soon")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Fibre splicing")
    page.get_by_label("Code", exact=True).fill("Fibre Splicing")
    page.get_by_role("button", name="Add skill").click()
    expect(page.get_by_role("alert")).to_contain_text("Use lower-case letters")
    window.looked_at("skill-refused")
    page.get_by_label("Code", exact=True).fill("fibre-splicing")
    page.get_by_role("button", name="Add skill").click()
    expect(page.get_by_text("Fibre splicing was added.")).to_be_visible()
    window.looked_at("skills")

    page.get_by_role("link", name="Multi-dwelling units").click()
    expect(page.get_by_text("can't be renamed or removed")).to_be_visible()
    window.looked_at("skill")
    page.get_by_role("link", name="Skills").click()
    page.get_by_role("link", name="Fibre splicing").click()
    page.get_by_label("Name", exact=True).fill("Fusion splicing")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Fusion splicing")).to_be_visible()
    page.get_by_role("button", name="Remove skill").click()
    expect(page.get_by_text("Fusion splicing was removed.")).to_be_visible()
    assert not Skill.objects.filter(code="fibre-splicing").exists()


def test_new_colleague_starts_with_a_link(browser: Browser, window: Window, live_server: LiveServer) -> None:
    page = window.page
    page.goto("/board/people/")
    page.get_by_role("link", name="Office accounts").click()
    page.get_by_label("Name", exact=True).fill("Nell New")
    page.get_by_label("User name").fill("nell")
    page.get_by_label("Role").select_option("Dispatcher")
    page.get_by_role("button", name="Add account and create sign-in link").click()
    expect(page.get_by_role("heading", name="Sign-in link for Nell New")).to_be_visible()
    window.looked_at("account-link")
    path = page.get_by_label("Link").input_value().removeprefix("http://127.0.0.1:8000")

    page.get_by_role("link", name="Nell New").click()
    expect(page.get_by_text("No password yet.")).to_be_visible()
    window.looked_at("account-new")
    colleague = open_window(browser, base_url=live_server.url, kind=PHONE)
    colleague.page.goto(path)
    colleague.page.get_by_label("New password", exact=True).fill("another horse battery")
    colleague.page.get_by_label("New password confirmation").fill("another horse battery")
    colleague.page.get_by_role("button", name="Save password and sign in").click()
    expect(colleague.page).to_have_url(f"{live_server.url}/board/")
    colleague.page.context.close()

    page.reload()
    page.get_by_label("Role").select_option("Supervisor")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Nell New was saved.")).to_be_visible()
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_text("Nowhere at the moment.")).to_be_visible()
    page.get_by_role("button", name="Suspend account").click()
    expect(page.get_by_role("button", name="Reinstate account")).to_be_visible()
    window.looked_at("account-suspended")
    page.get_by_role("link", name="Office accounts").click()
    expect(page.get_by_role("row", name="Nell New")).to_contain_text("Suspended")
    window.looked_at("accounts")
    page.get_by_role("link", name="Dana Dispatch").click()
    expect(page.get_by_text("This is your own account.")).to_be_visible()
    window.looked_at("account-own")


@pytest.mark.parametrize("language", ["en-gb", "de"])
def test_pages_fit_a_small_screen(window: Window, language: str) -> None:
    area = Area.objects.create(name="Otley, Ilkley and Wharfedale with Addingham", postcodes="LS21 LS29 BD20")
    engineer = make.engineer(skills=("mdu",))
    engineer.area = area
    engineer.save()
    engineer.held_skills.update(expires_on=timezone.localdate())
    skill, dana = Skill.objects.get(), make.dispatcher(username="a-very-long-user-name.of.somebody@example")
    make.job()
    window.page.set_viewport_size(PHONE["viewport"])
    domain = window.page.context.cookies()[0]["domain"]
    window.page.context.add_cookies(
        [{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "domain": domain, "path": "/"}]
    )
    paths = (
        "areas/",
        f"areas/{area.pk}/",
        "skills/",
        f"skills/{skill.pk}/",
        "accounts/",
        f"accounts/{dana.pk}/",
    )
    for path in ("", *paths):
        window.page.goto(f"/board/people/{path}")
        expect(window.page.locator("html")).to_have_attribute("lang", language)
        expect(window.page.locator("h1")).to_be_visible()
        window.fits_its_width()
        name = path.strip("/").split("/")
        window.looked_at(f"people-small-{language}-{name[0] or 'engineers'}{'-one' if len(name) > 1 else ''}")
