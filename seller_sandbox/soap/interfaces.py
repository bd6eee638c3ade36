"""What tells one XML interface from another: its namespaces, its schema files and the page that explains it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from seller_sandbox.soap.namespaces import SOAP


@dataclass(frozen=True)
class Interface:
    """`files` are schema files of `folder`, the one that includes the others first; `page` is named in remedies.

    `extension` is a second namespace, "" where there is none; it replaces {ext_namespace} in the files.
    """

    namespace: str
    page: str
    folder: Path
    files: tuple[str, ...]
    extension: str = ""

    @property
    def namespaces(self) -> frozenset[str]:
        return frozenset({self.namespace, self.extension} - {""})

    @property
    def prefixes(self) -> Mapping[str | None, str]:
        """As our envelopes declare them."""
        prefixes = {None: self.namespace, "soapenv": SOAP}
        return {**prefixes, "ext": self.extension} if self.extension else prefixes

    def tag(self, name: str) -> str:
        return f"{{{self.namespace}}}{name}"

    def plain(self, text: str) -> str:
        """Names in Clark notation as a person writes them."""
        plain = text.replace(f"{{{self.namespace}}}", "")
        return plain.replace(f"{{{self.extension}}}", "ext:") if self.extension else plain
