"""Which names on a page of the office are no links: read from the HTML, with the exceptions and their reasons."""

import re
from collections.abc import Collection, Iterable
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# a link, or what may not hold one (HTML forbids a link inside them); raw text of a message is shown as it is
SKIPPED = {
    "a",
    "button",
    "select",
    "textarea",
    "pre",
    "script",
    "style",
    "head",
    "svg",
    "noscript",
    "template",
}
# the premises as the seller sent them: here a postcode is part of an address, not the name of a job
ADDRESS = re.compile(r"Leeds,?\s+$")


class _Reader(HTMLParser):
    """Collects the texts that no exception covers; a text is one element's, whatever it is split into."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("id") or ""))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _id in self.open}
        # the job pack is a list of what the seller sent
        if tags & SKIPPED or "pack" in {name for _tag, name in self.open}:
            return
        self.texts.append(data)


def unlinked(html: str, names: Iterable[str], *, own: Collection[str] = ()) -> list[str]:
    """`name: the text around it` for each of `names` that stands outside a link; `own` is what the page is about."""
    reader = _Reader()
    reader.feed(html)
    return sorted({hit for name in names if name not in own for hit in _hits(name, reader.texts)})


def _hits(name: str, texts: Iterable[str]) -> Iterable[str]:
    whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for text in texts:
        for found in whole.finditer(text):
            if not ADDRESS.search(text[: found.start()]):
                yield f"{name}: {' '.join(text.split())[:160]}"
