"""The schema files of an interface, with the namespaces of this installation: compiled once, and served to buyers."""

from functools import cache
from typing import Any

from lxml import etree

from seller_sandbox.soap.interfaces import Interface


@cache
def content(interface: Interface, name: str) -> bytes:
    """One schema file as it is served. Raises KeyError for another name."""
    if name not in interface.files:
        raise KeyError(name)
    return (interface.folder / name).read_text().replace("{ext_namespace}", interface.extension).encode()


class _OwnFiles(etree.Resolver):
    """Includes and imports lead to our files and nowhere else."""

    def __init__(self, interface: Interface) -> None:
        super().__init__()
        self.interface = interface

    def resolve(self, url: str, _: str | None, context: Any) -> Any:
        found = content(self.interface, url.rpartition("/")[2])
        return self.resolve_string(found, context, base_url=url)


@cache
def compiled(interface: Interface) -> etree.XMLSchema:
    """All schemas as one; whoever validates with it holds a lock (validation.py)."""
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_OwnFiles(interface))
    root = interface.files[0]
    return etree.XMLSchema(etree.fromstring(content(interface, root), parser, base_url=root))
