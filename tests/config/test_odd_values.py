"""Settings with values that are nearly right: the start says which one it is and what to write, and no password."""

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import (
    env_database,
    env_file,
    env_float,
    env_https_urls,
    env_int,
    env_secret,
    env_url,
    env_zone,
)
from config.message_channels import mail_server

REDIS = ("redis", "rediss")
READERS: dict[str, Callable[[str], object]] = {
    "number": lambda name: env_int(name, 5, lowest=1, highest=64),
    "decimal": lambda name: env_float(name, 1, lowest=0.1),
    "zone": lambda name: env_zone(name, "UTC"),
    "address": env_url,
    "redis": lambda name: env_url(name, schemes=REDIS),
    "endpoints": lambda name: env_https_urls(name, "https://seller.example.org"),
    "database": lambda name: env_database(name, "", sqlite_engine="config.sqlite"),
    "file": lambda name: env_file(name, ""),
}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *(("number", value) for value in ("--5", "²", "5.0", "5 # processes", "9" * 5000)),
        *(("decimal", value) for value in ("nan", "inf", "1e999", "-inf", "1,5")),
        ("zone", "Europe"),
        *(("address", value) for value in ("https://[::1", "https://host:port", "https://host:99999")),
        *(("address", value) for value in ("https://:443", "https://dispatch example.org", "https://host:0")),
        ("redis", "redis://:hush[hush@host/0"),
        *(("endpoints", value) for value in ("https://[::1", "https://a.example:https")),
        *(("database", f"postgresql://u:hush{sign}hush@host/dispatch") for sign in "/#?["),
        *(
            ("database", f"postgresql://u:hush@{host}/dispatch")
            for host in ("[::1", "host:port", "host:99999")
        ),
        ("file", "/etc"),
    ],
)
def test_value_is_refused_with_its_setting(monkeypatch: pytest.MonkeyPatch, kind: str, value: str) -> None:
    monkeypatch.setenv("ODD", value)

    with pytest.raises(ImproperlyConfigured, match=r"\AODD: ") as refused:
        READERS[kind]("ODD")
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", " 5 "),
        ("address", "https://[2001:db8::7]:8443/dispatch/"),
        ("redis", "redis://:p%5Bw@[::1]:6379/0"),
        ("endpoints", "https://[2001:db8::7]:9443, https://b.example "),
        ("database", "postgresql://u:p%2Fw@[::1]:5432/dispatch?sslmode=require "),
    ],
)
def test_value_with_a_blank_or_an_address_in_brackets_starts(
    monkeypatch: pytest.MonkeyPatch, kind: str, value: str
) -> None:
    monkeypatch.setenv("ODD", value)

    READERS[kind]("ODD")


@pytest.mark.parametrize("sign", "/#?[")
def test_password_of_the_mail_server_is_not_repeated(monkeypatch: pytest.MonkeyPatch, sign: str) -> None:
    monkeypatch.setenv("MAIL_SERVER_URL", f"smtps://user:hush{sign}hush@mail.example.org")

    with pytest.raises(ImproperlyConfigured, match=r"\AMAIL_SERVER_URL: ") as refused:
        mail_server()
    assert "hush" not in str(refused.value)


def test_file_of_a_secret_that_is_no_text_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"\xff\xfe\x00s")
    monkeypatch.setenv("ODD_FILE", str(path))

    with pytest.raises(ImproperlyConfigured, match=r"ODD_FILE: .* is not a text file"):
        env_secret("ODD")


def test_file_that_cannot_be_read_names_who_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODD", "/nowhere/partner.pem")
    user = pwd.getpwuid(os.geteuid()).pw_name

    with pytest.raises(ImproperlyConfigured) as refused:
        env_file("ODD", "")
    assert str(refused.value) == f"ODD: the user {user} cannot read the file /nowhere/partner.pem"


@pytest.mark.parametrize(("value", "is_refused"), [("another", True), ("secret", False), ("", False)])
def test_secret_and_its_file_that_differ_are_both_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str, *, is_refused: bool
) -> None:
    path = tmp_path / "secret"
    path.write_text("secret\n")
    monkeypatch.setenv("ODD", value)
    monkeypatch.setenv("ODD_FILE", str(path))

    if is_refused:
        with pytest.raises(
            ImproperlyConfigured, match=r"\AODD and ODD_FILE are both set and differ; take one"
        ):
            env_secret("ODD")
    else:
        assert env_secret("ODD") == "secret"
