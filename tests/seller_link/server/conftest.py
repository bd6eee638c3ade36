"""The real server, the seller as its caller, and rejected callers. Another server has its own `port`."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from pytest_django import Settings

from tests.servers.certificates import Authority, Identity
from tests.servers.seller_server import Caller, serve_on_port


@pytest.fixture
def port(our_certificates: None, settings: Settings) -> Iterator[int]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    with serve_on_port() as number:
        yield number


@pytest.fixture
def seller(port: int, authority: Authority) -> Caller:
    return Caller(port, authority.ca, authority.issue("seller"))


@pytest.fixture
def unknown_callers(authority: Authority, other_authority: Authority) -> dict[str, Identity | None]:
    """Who it is → the certificate that they present."""
    return {
        "nobody": None,
        "somebody else": authority.issue("somebody-else"),
        "self-signed": other_authority.own_identity(),
        "another authority": other_authority.issue("seller"),
        "expired": authority.issue("seller", ends_in=timedelta(hours=-1)),
        "not yet valid": authority.issue("seller", begins_in=timedelta(hours=1)),
    }
