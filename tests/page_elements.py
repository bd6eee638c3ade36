"""The elements of a page as a screen reader needs them: which ids its links, labels and descriptions name."""

from html.parser import HTMLParser
from itertools import pairwise

REFERENCES = ("aria-describedby", "aria-labelledby", "for")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.named: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in REFERENCES:
            self.named += attributes[name].split() or [f"empty {name}"] if name in attributes else []
        if tag == "a" and attributes.get("href", "").startswith("#"):
            self.named.append(attributes["href"][1:] or "empty href")


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    return reader


def missing_ids(html: str) -> set[str]:
    """What a description, a label or a link within the page names and no element is; also an empty id."""
    reader = _read(html)
    return {name for name in reader.named if name not in reader.ids} | {
        f"id={i!r}" for i in reader.ids if not i
    }


def element(html: str, id_: str) -> tuple[str, dict[str, str]]:
    """The tag and the attributes of the element with this id."""
    return next(found for found in _read(html).elements if found[1].get("id") == id_)


def heading_levels(html: str) -> list[int]:
    """In the order of the page."""
    return [int(tag[1]) for tag, _attributes in _read(html).elements if tag in {"h1", "h2", "h3", "h4"}]


def skipped_levels(html: str) -> list[tuple[int, int]]:
    """Where a heading lies more than one level below the one before it."""
    levels = heading_levels(html)
    return [(above, below) for above, below in pairwise(levels) if below > above + 1]
