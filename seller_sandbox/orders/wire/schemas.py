"""The schema files, with the namespaces of this installation filled in: compiled once, and served to buyers."""

from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from seller_sandbox.orders.wire.namespaces import EXTENSION

FOLDER = Path(__file__).parent / "schemas"
ROOT = "messages.xsd"
# the root, and the others in its order
NAMES = (
    ROOT,
    *("common.xsd", "extension.xsd", "orders.xsd", "queries.xsd", "notifications.xsd", "faults.xsd"),
)


@cache
def content(name: str) -> bytes:
    """One schema file as it is served. Raises KeyError for another name."""
    if name not in NAMES:
        raise KeyError(name)
    return (FOLDER / name).read_text().replace("{ext_namespace}", EXTENSION).encode()


class _OwnFiles(etree.Resolver):
    """Includes and imports lead to our files and nowhere else."""

    def resolve(self, url: str, _: str | None, context: Any) -> Any:
        return self.resolve_string(content(url.rpartition("/")[2]), context, base_url=url)


@cache
def compiled() -> etree.XMLSchema:
    """All schemas as one; whoever validates with it holds a lock (validation.py)."""
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_OwnFiles())
    return etree.XMLSchema(etree.fromstring(content(ROOT), parser, base_url=ROOT))
