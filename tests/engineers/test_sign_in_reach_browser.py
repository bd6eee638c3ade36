"""What an engineer presses to sign in, and on the pages of the own account, is as large as in the phone application."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from engineers.models import Role
from engineers.sign_in import sign_in_links
from tests import make
from tests.board.windows import open_signed_in
from tests.engineers.test_second_factor import set_up
from tests.servers.browser import PHONE, chromium, open_window
from tests.servers.reach import too_small

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def test_targets_of_the_pages_before_and_about_signing_in(browser: Browser, live_server: LiveServer) -> None:
    erin = make.engineer(username="erin").user
    link = sign_in_links.issue(user=erin, by=make.dispatcher(username="ruth", role=Role.SUPERVISOR))
    signed_out = open_window(browser, base_url=live_server.url, kind=PHONE, located=False)
    signed_in = open_signed_in(browser, erin, base_url=live_server.url, kind=PHONE)
    set_up(dana := make.dispatcher(username="dana"))
    second_factor = open_signed_in(browser, dana, base_url=live_server.url, kind=PHONE)
    found = []

    for page, path in (
        (signed_out.page, "/login/"),
        (signed_out.page, f"/start/{link.secret}/"),
        (signed_in.page, "/password/"),
        (signed_in.page, "/sessions/"),
        (second_factor.page, "/second-factor/"),
    ):
        answer = page.goto(path)
        assert answer and answer.ok, path
        found += [f"{path}: {line}" for line in too_small(page)]
    signed_out.page.goto("/login/")
    signed_out.page.get_by_label("User name").fill("erin")
    signed_out.page.get_by_label("Password", exact=True).fill("wrong")
    signed_out.page.get_by_role("button", name="Sign in").click()
    expect(signed_out.page.get_by_role("alert")).to_be_visible()
    found += [f"refused: {line}" for line in too_small(signed_out.page)]
    for window in (signed_out, signed_in, second_factor):
        window.page.context.close()

    assert not found, "\n".join(found)
