"""The schema files at the endpoints: whoever is known may download them, and they compile as they come."""

from dataclasses import replace

import pytest
from lxml import etree

from seller_sandbox.network.loading import load_network
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import schemas
from seller_sandbox.tests.processes import Caller

pytestmark = pytest.mark.django_db(transaction=True)


class _Downloads(etree.Resolver):
    """Includes and imports come from the endpoint, too."""

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self.caller = caller

    def resolve(self, url: str, _: object, context: object) -> object:
        return self.resolve_string(download(self.caller, url.rpartition("/")[2]), context, base_url=url)


def download(caller: Caller, name: str) -> str:
    answer = caller.send("GET", f"schemas/{name}")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/xml; charset=utf-8")
    return answer.body


@pytest.mark.parametrize("certificate", ["partner", "buyer-a"])
def test_the_downloaded_schemas_are_those_that_validate(caller: Caller, certificate: str) -> None:
    load_network(copies=1)
    known = replace(caller, certificate=certificate)
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_Downloads(known))

    root = etree.fromstring(download(known, "messages.xsd").encode(), parser, base_url="messages.xsd")

    assert etree.XMLSchema(root) is not None
    for name in INTERFACE.files:
        assert download(known, name).encode() == schemas.content(INTERFACE, name)


def test_other_names_and_methods_and_callers_are_refused(caller: Caller) -> None:
    """Authentication 1; issue 13, 1."""
    assert caller.send("GET", "schemas/none.xsd").status == 404
    assert caller.send("POST", "schemas/messages.xsd", b"{}").status == 405
    assert replace(caller, certificate="stranger").send("GET", "schemas/messages.xsd").status == 403
