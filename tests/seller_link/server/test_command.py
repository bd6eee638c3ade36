"""What `manage.py seller_server` makes of its options."""

import pytest
from django.core.management import load_command_class


@pytest.mark.parametrize(
    ("option", "host"), [("[::1]", "::1"), ("::1", "::1"), ("127.0.0.1", "127.0.0.1"), ("[::1", "[::1")]
)
def test_ipv6_address_may_stand_in_brackets(option: str, host: str) -> None:
    parser = load_command_class("seller_link", "seller_server").create_parser("manage.py", "seller_server")

    assert parser.parse_args(["--host", option]).host == host
