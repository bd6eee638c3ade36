"""Whose address a request has, before and behind proxies."""

import pytest
from django.test import Client, RequestFactory
from pytest_django import Settings

from engineers.throttling import client_address
from tests import make

PROXY, INNER, OUTSIDER = "192.0.2.30", "::1", "198.51.100.7"


@pytest.mark.parametrize(
    ("caller", "forwarded", "expected"),
    [
        (OUTSIDER, None, OUTSIDER),
        (OUTSIDER, "203.0.113.9", OUTSIDER),
        (PROXY, OUTSIDER, OUTSIDER),
        (PROXY, f"203.0.113.9, {OUTSIDER}", OUTSIDER),
        (INNER, f"203.0.113.9,{OUTSIDER} , {PROXY}", OUTSIDER),
        (PROXY, "2001:DB8:0:0::7", "2001:db8::"),
        (PROXY, "2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::"),
        (PROXY, f"::ffff:{OUTSIDER}", OUTSIDER),
        (f"::ffff:{OUTSIDER}", None, OUTSIDER),
        (f"::ffff:{PROXY}", OUTSIDER, OUTSIDER),
        (PROXY, f"{OUTSIDER}, ::ffff:{PROXY}", OUTSIDER),
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


@pytest.mark.django_db
def test_password_is_not_guessed_from_another_address_of_one_network_each_time(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = [PROXY]
    dana, client = make.dispatcher(), Client(REMOTE_ADDR=PROXY)

    def sign_in(password: str, address: str) -> int:
        form = {"username": dana.username, "password": password}
        return client.post("/login/", form, headers={"X-Forwarded-For": address}).status_code

    guesses = [
        sign_in("wrong", f"2001:db8:0:1::{number}") for number in range(settings.AXES_FAILURE_LIMIT + 1)
    ]
    assert guesses[-1] == 429
    assert sign_in(make.PASSWORD, "2001:db8:0:1::77") == 429
    # a person elsewhere is not locked out
    assert sign_in(make.PASSWORD, "2001:db8:0:2::1") == 302
