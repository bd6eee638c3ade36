"""Whose address a request has, before and behind proxies."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from engineers.throttling import client_address

PROXY, INNER, STRANGER = "192.0.2.30", "::1", "198.51.100.7"


@pytest.mark.parametrize(
    ("caller", "forwarded", "expected"),
    [
        (STRANGER, None, STRANGER),
        (STRANGER, "203.0.113.9", STRANGER),
        (PROXY, STRANGER, STRANGER),
        (PROXY, f"203.0.113.9, {STRANGER}", STRANGER),
        (INNER, f"203.0.113.9,{STRANGER} , {PROXY}", STRANGER),
        (PROXY, "2001:DB8:0:0::7", "2001:db8::7"),
        (PROXY, None, PROXY),
        (PROXY, "", PROXY),
        (PROXY, "unknown", PROXY),
        (PROXY, f"{STRANGER}, nonsense", PROXY),
    ],
)
def test_address_is_the_caller_s_and_believes_only_our_proxies(
    settings: Settings, caller: str, forwarded: str | None, expected: str
) -> None:
    settings.TRUSTED_PROXIES = [PROXY, INNER]
    said = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    request = RequestFactory().post("/login/", headers=said, REMOTE_ADDR=caller)

    assert client_address(request) == expected
