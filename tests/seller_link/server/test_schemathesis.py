"""Requests that nobody thought of, made from the document for integrators, at the real server."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from pytest_django import Settings
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import positive_data_acceptance

from seller_link.wire import openapi
from tests.servers.certificates import Authority
from tests.servers.seller_server import Caller, serve_on_port

load_all_checks()
EXAMPLES = 60
SCHEMA = schemathesis.openapi.from_dict(openapi.document())


@pytest.fixture
def seller_server(our_certificates: None, authority: Authority, settings: Settings) -> Iterator[Caller]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    with serve_on_port() as port:
        yield Caller(port, authority.ca, authority.issue("seller"))


@pytest.mark.django_db(transaction=True)
@SCHEMA.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)
def test_server_keeps_the_document_whatever_comes(case: schemathesis.Case, seller_server: Caller) -> None:
    assert seller_server.identity is not None
    answer = case.call(
        base_url=f"https://localhost:{seller_server.port}/seller",
        cert=(seller_server.identity.certificate, seller_server.identity.key),
        verify=seller_server.ca,
    )

    # a message may keep its schema and still name a job that nobody knows
    case.validate_response(answer, excluded_checks=[positive_data_acceptance])
