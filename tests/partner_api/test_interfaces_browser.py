"""The page “Interfaces” in a browser: forms, and no barriers."""

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from engineers.models import Area, Role
from partner_api.models import AccessToken
from tests import make
from tests.partner_api.webhooks import send_due, subscription_inside
from tests.servers.browser import DESKTOP, PHONE, Window, chromium, log_in, open_window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("kind", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_supervisor_creates_a_token_and_looks_at_a_webhook(
    live_server: LiveServer, kind: dict[str, object]
) -> None:
    make.dispatcher(username="sue", role=Role.SUPERVISOR)
    Area.objects.create(name="Leeds North", postcodes="LS")
    row = subscription_inside()
    make.job()
    send_due()
    with chromium() as browser:
        window = open_window(browser, base_url=live_server.url, kind=kind, located=False)
        log_in(window, username="sue", password=make.PASSWORD)
        page = window.page
        page.goto("/board/interfaces/")
        page.get_by_text("Create access token").first.click()
        page.locator("#token-name").fill("Billing")
        page.get_by_label("Jobs, visits, events").check()
        page.get_by_role("button", name="Create access token").click()
        assert (
            page.get_by_label("Secret", exact=True).input_value().startswith(AccessToken.objects.get().start)
        )
        page.get_by_text("Add webhook").first.click()
        window.fits_its_width()
        _look(window, "interfaces", kind)
        page.goto(f"/board/interfaces/webhooks/{row.pk}/")
        expect(page.get_by_text("127.0.0.1 is not a public address")).to_be_visible()
        window.fits_its_width()
        _look(window, "webhook", kind)


def _look(window: Window, name: str, kind: dict[str, object]) -> None:
    """A picture of the large one."""
    if kind is DESKTOP:
        window.looked_at(name)
    else:
        assert window.barriers() == []
