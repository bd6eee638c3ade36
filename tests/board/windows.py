"""People of the office with a browser at the board of the test's own server."""

from typing import Any

from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser

from engineers.models import User
from tests.servers.browser import DESKTOP, Window, open_window


def open_signed_in(
    browser: Browser, user: User, *, base_url: str, width: int = 1440, kind: dict[str, Any] | None = None
) -> Window:
    """Signed in by the cookie: the form has stories of its own (tests/engineers/test_accounts_browser.py)."""
    usual = {**DESKTOP, "viewport": {"width": width, "height": 900 if width > 400 else 844}}
    window = open_window(browser, base_url=base_url, kind=kind or usual)
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME]
    window.page.context.add_cookies([{"name": session.key, "value": session.value, "url": base_url}])
    return window
