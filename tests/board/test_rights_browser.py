"""Roles, accounts with areas, audit, the board of an auditor and the pages before signing in, at both widths."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import settings as configured
from playwright.sync_api import Browser, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from config.connections import IdentityProvider
from dispatch.states import JobState
from engineers.models import Area, AreaLimit, Role, User
from tests import make
from tests.board.windows import open_signed_in
from tests.servers.browser import DESKTOP, PHONE, Window, open_window
from tests.servers.mailbox import server_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WIDTHS = [1440, 390]


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def ruth() -> User:
    Area.objects.create(name="Leeds", postcodes="LS")
    Area.objects.create(name="York", postcodes="YO")
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.fixture
def window(browser: Browser, live_server: LiveServer, ruth: User, width: int) -> Iterator[Window]:
    opened = open_signed_in(browser, ruth, base_url=live_server.url, width=width)
    yield opened
    opened.page.context.close()


def look(window: Window, name: str, width: int) -> None:
    window.fits_its_width()
    window.looked_at(f"{name}-{width}")


def test_supervisor_changes_a_role_and_limits_an_account(window: Window, width: int) -> None:
    page, planner = window.page, make.dispatcher(role=Role.PLANNER)
    page.goto("/board/people/roles/")
    look(window, "roles", width)
    section = page.locator("#role-planner")
    section.get_by_label("close jobs without a visit").check()
    section.get_by_role("button", name="Save Planner").click()
    expect(page.get_by_text("Planner was saved.")).to_be_visible()
    expect(section.get_by_role("button", name="Restore the shipped rights")).to_be_visible()

    page.goto(f"/board/people/accounts/{planner.pk}/")
    page.get_by_label("E-mail").fill("pia@partner.example")
    page.get_by_label("York").check()
    look(window, "account", width)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was saved.")).to_be_visible()
    assert list(AreaLimit.objects.values_list("user", "area__name")) == [(planner.pk, "York")]


def test_audit_is_read_and_filtered(window: Window, width: int, ruth: User) -> None:
    page, job, anna = window.page, make.job(at_state=JobState.ASSIGNED), make.engineer(name="Anna Fibre")
    page.goto(f"/board/jobs/{job}/")
    page.goto(f"/board/people/{anna.pk}/")
    page.goto("/board/audit/")
    expect(page.get_by_text("viewed an engineer")).to_be_visible()
    look(window, "audit", width)
    page.get_by_label("Area of data").select_option("accounts")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("viewed an engineer")).to_have_count(0)


def test_auditor_has_a_board_on_which_nothing_moves(
    browser: Browser, live_server: LiveServer, width: int
) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=make.engineer(name="Anna Fibre"))
    audrey = make.dispatcher(username="audrey", role=Role.AUDITOR)
    window = open_signed_in(browser, audrey, base_url=live_server.url, width=width)
    page = window.page
    page.goto(f"/board/?day={make.DAY}&job={job}")
    expect(page.locator(f"#card-{job}")).to_be_visible()
    assert page.locator("[data-can-move]").count() == 0
    look(window, "board-auditor", width)
    page.locator(f"#card-{job} a").focus()
    page.keyboard.press("m")
    page.keyboard.press("Delete")
    expect(page.locator("#action-response")).to_be_hidden()
    page.goto(f"/board/jobs/{job}/")
    look(window, "job-auditor", width)
    page.context.close()


def test_sign_in_with_a_provider_and_mail(
    browser: Browser, live_server: LiveServer, width: int, settings: Settings
) -> None:
    provider = IdentityProvider("https://login.example.org", "c", "s", "Partner Ltd", "", frozenset({"mfa"}))
    settings.SIGN_IN, settings.MAIL_SERVER = replace(configured.SIGN_IN, provider=provider), server_at(9)
    window = open_window(browser, base_url=live_server.url, kind=DESKTOP if width > 1000 else PHONE)
    page = window.page
    page.goto("/login/")
    look(window, "login-company", width)
    page.get_by_role("link", name="Forgotten your password?").click()
    look(window, "password-forgotten", width)
    page.get_by_label("User name or e-mail address").fill("dana")
    page.get_by_role("button", name="Send link").click()
    expect(page.get_by_role("status")).to_contain_text("If there is an account with this name")
    look(window, "password-link-sent", width)
    page.context.close()


def test_own_sessions_end_everywhere(window: Window, width: int) -> None:
    page = window.page
    page.goto("/sessions/")
    look(window, "own-sessions", width)
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
