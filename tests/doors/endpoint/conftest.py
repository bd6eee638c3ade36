"""Callers that the door must not let in."""

from datetime import timedelta

import pytest

from tests.servers.certificates import Authority, Identity


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
