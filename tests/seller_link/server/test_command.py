"""What `manage.py seller_server` makes of its options."""

import errno
import socket

import pytest
from django.core.management import CommandError, load_command_class

from monitoring.listening_addresses import refuse_unusable


@pytest.mark.parametrize(
    ("option", "host"), [("[::1]", "::1"), ("::1", "::1"), ("127.0.0.1", "127.0.0.1"), ("[::1", "[::1")]
)
def test_ipv6_address_may_stand_in_brackets(option: str, host: str) -> None:
    parser = load_command_class("seller_link", "seller_server").create_parser("manage.py", "seller_server")

    assert parser.parse_args(["--host", option]).host == host


def test_every_address_is_ipv4_where_the_kernel_has_no_ipv6(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(family: int = -1, *_rest: object) -> socket.socket:
        assert family == socket.AF_INET6
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    parser = load_command_class("seller_link", "seller_server").create_parser("manage.py", "seller_server")
    assert parser.parse_args(["--host", "::"]).host == "::"
    monkeypatch.setattr(socket, "socket", refuse)

    assert [parser.parse_args(["--host", host]).host for host in ("::", "[::]", "::1")] == [
        *("0.0.0.0", "0.0.0.0"),
        "::1",
    ]
    with pytest.raises(CommandError, match="::1 is an IPv6 address, and this machine has no IPv6"):
        refuse_unusable("::1", 8443)
