"""The real door, the seller at it, and callers that it must not let in. A file with another door has its own `port`."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from pytest_django import Settings

from tests.servers.certificates import Authority, Identity
from tests.servers.seller_server import Caller, open_door


@pytest.fixture
def port(our_certificates: None, settings: Settings) -> Iterator[int]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    with open_door() as number:
        yield number


@pytest.fixture
def seller(port: int, authority: Authority) -> Caller:
    return Caller(port, authority.ca, authority.issue("seller"))


@pytest.fixture
def strangers(authority: Authority, stranger: Authority) -> dict[str, Identity | None]:
    """In words who it is → the certificate that they show."""
    return {
        "nobody": None,
        "somebody else": authority.issue("somebody-else"),
        "self-signed": stranger.own_identity(),
        "another authority": stranger.issue("seller"),
        "expired": authority.issue("seller", ends_in=timedelta(hours=-1)),
        "not yet valid": authority.issue("seller", begins_in=timedelta(hours=1)),
    }
