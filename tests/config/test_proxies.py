"""Whose address a request has, before and behind proxies."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from engineers.throttling import client_address

PROXY, INNER, OUTSIDER = "192.0.2.30", "::1", "198.51.100.7"


@pytest.mark.parametrize(
    ("caller", "forwarded", "expected"),
    [
        (OUTSIDER, None, OUTSIDER),
        (OUTSIDER, "203.0.113.9", OUTSIDER),
        (PROXY, OUTSIDER, OUTSIDER),
        (PROXY, f"203.0.113.9, {OUTSIDER}", OUTSIDER),
        (INNER, f"203.0.113.9,{OUTSIDER} , {PROXY}", OUTSIDER),
        (PROXY, "2001:DB8:0:0::7", "2001:db8::7"),
        (PROXY, None, PROXY),
        (PROXY, "", PROXY),
        (PROXY, "unknown", PROXY),
        (PROXY, f"{OUTSIDER}, nonsense", PROXY),
    ],
)
def test_address_is_the_caller_s_and_believes_only_our_proxies(
    settings: Settings, caller: str, forwarded: str | None, expected: str
) -> None:
    settings.TRUSTED_PROXIES = [PROXY, INNER]
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    request = RequestFactory().post("/login/", headers=headers, REMOTE_ADDR=caller)

    assert client_address(request) == expected
