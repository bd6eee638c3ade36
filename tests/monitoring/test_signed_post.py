"""A signed POST to an address that somebody entered: signature, limits, and no way behind our firewall."""

import pytest

from monitoring.signed_post import (
    NotPosted,
    PrivateAddress,
    is_callable_url,
    is_public,
    post,
    signature,
    signed_headers,
)
from tests.servers import webhook_receiver


def send(url: str, *, seconds: float = 5, is_private_allowed: bool = True) -> int:
    headers = signed_headers(secret="s", stamp="1", delivery_id="d", body=b"{}")
    return post(url, b"{}", headers, seconds=seconds, is_private_allowed=is_private_allowed).status


def test_signature_is_that_of_the_document() -> None:
    # printf '1700000000.{"id":1}' | openssl dgst -sha256 -hmac fds_secret
    digits = "c90ea88950cf7adbf0f39425a9d684df92ea7b58d9927295a5ffc0ebf614250b"

    assert signature("fds_secret", "1700000000", b'{"id":1}') == digits


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (webhook_receiver.HANG, "No complete answer in time"),
        (webhook_receiver.HALF, "The answer broke off"),
        (webhook_receiver.DROP, "The connection ended without an answer"),
    ],
)
def test_bad_answer_is_none(answer: str, complaint: str) -> None:
    with webhook_receiver.running() as receiver:
        receiver.answers = [answer]
        with pytest.raises(NotPosted, match=complaint):
            send(receiver.url, seconds=0.7)


@pytest.mark.parametrize("status", [204, 302, 500])
def test_status_comes_back_and_no_redirect_is_followed(status: int) -> None:
    with webhook_receiver.running() as receiver:
        receiver.answers = [status]
        assert send(receiver.url) == status
        assert len(receiver.got) == 1


def test_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/operating.md says of the firewall; nobody is at this one."""
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with webhook_receiver.running() as receiver:
        assert send(receiver.url) == 204
        assert len(receiver.got) == 1


def test_answer_without_end_is_left() -> None:
    with webhook_receiver.running() as receiver:
        receiver.answers = [webhook_receiver.ENDLESS]
        assert send(receiver.url) == 200


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1:1", "https://localhost:1", "https://[::1]:1", "https://2130706433:1"]
)
def test_private_address_is_refused_where_the_connection_is_made(url: str) -> None:
    with pytest.raises(PrivateAddress, match="is not a public address"):
        send(url, is_private_allowed=False)


def test_plain_http_is_refused_with_private_addresses() -> None:
    with webhook_receiver.running() as receiver:
        with pytest.raises(NotPosted):
            send(receiver.url, is_private_allowed=False)
        assert receiver.got == []


@pytest.mark.parametrize(
    ("address", "answer"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("::ffff:127.0.0.1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("fec0::1", False),
        ("::", False),
        # the same IPv4 addresses as gateways write them: compatible, translated, NAT64 and 6to4
        ("::10.0.0.1", False),
        ("::ffff:0:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("64:ff9b:1::a00:1", False),
        ("2002:a00:1::1", False),
        ("2002:7f00:1::", False),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("2002:808:808::1", True),
    ],
)
def test_public_addresses(address: str, answer: bool) -> None:
    assert is_public(address) == answer


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "hooks.example.org",
            "ftp://hooks.example.org",
            "https://",
            "https://user:secret@hooks.example.org",
        ),
        *("https://hooks.example.org:99999", "https://hooks.example.org/a b", "http://hooks.example.org"),
        "https://hooks.example.org/\r\nHost: other",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    assert not is_callable_url(url, is_plain_allowed=False)


def test_good_addresses() -> None:
    assert is_callable_url("https://hooks.example.org:8443/dispatch?key=1", is_plain_allowed=False)
    assert is_callable_url("http://10.0.0.7/hooks", is_plain_allowed=True)
