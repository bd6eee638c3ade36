"""Services with a port or host that they cannot have end with a sentence."""

import socket

import pytest
from django.core.management import CommandError, call_command

from monitoring.listening_addresses import refuse_unusable

SERVICES = ("web", "board_stream", "seller_server")


@pytest.mark.parametrize("service", SERVICES)
def test_taken_port_is_named_with_the_remedy(service: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = occupied.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} of 127\.0\.0\.1 is taken\. .* another --port"):
            call_command(service, port=port)


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"port": 99999}, r"--port: 99999 is not a port\. Write a number from 1 to 65535"),
        ({"port": -1}, r"--port: -1 is not a port"),
        ({"host": "nowhere.invalid"}, r"--host: 'nowhere\.invalid' is not known"),
        ({"host": "192.0.2.1"}, r"--host: 192\.0\.2\.1 is not an address of this machine"),
    ],
)
def test_port_or_host_that_is_none_is_named(service: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command(service, **options)


def test_address_stays_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

    refuse_unusable("127.0.0.1", port)

    socket.create_server(("127.0.0.1", port)).close()
