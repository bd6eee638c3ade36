"""The running system's door keeps the contract as a seller sees it."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.servers.system import System

pytestmark = pytest.mark.timeout(600)


def conformance(system: System, endpoint: str, *, acting: str, more: list[str]) -> str:
    said, certs = StringIO(), system.demo.certs
    identity = [f"--cert={certs / acting}.pem", f"--key={certs / acting}.key", f"--ca={certs / 'ca'}.pem"]
    try:
        call_command("conformance", f"--endpoint={endpoint}", *identity, *more, stdout=said)
    except CommandError as failed:
        raise AssertionError(said.getvalue()) from failed
    return said.getvalue().splitlines()[-1]


def test_partner_s_door_keeps_every_case_that_needs_no_person(system: System) -> None:
    endpoint = f"https://127.0.0.1:{system.demo.ports.seller_door}/seller"

    assert " 0 fail, 3 skipped" in conformance(system, endpoint, acting="seller", more=[])
