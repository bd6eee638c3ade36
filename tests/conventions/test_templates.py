"""Every template parses, every address it names exists, and what it includes is a fragment that is there."""

from collections.abc import Iterator

import pytest
from django.template import Template, engines
from django.template.base import Node
from django.template.defaulttags import URLNode
from django.template.loader_tags import IncludeNode
from django.urls import URLPattern, URLResolver, get_resolver

from tests.conventions.sources import ROOT

FOLDER = ROOT / "templates"
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file())


def parsed(text: str) -> Template:
    template: Template = engines["django"].from_string(text).template  # type: ignore[attr-defined]
    return template


def nodes(template: Template, kind: type[Node]) -> Iterator[Node]:
    yield from template.nodelist.get_nodes_by_type(kind)


def url_names(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from url_names(pattern.url_patterns, inner)
        elif pattern.name:
            yield f"{space}{pattern.name}"


def unknown_addresses(template: Template) -> list[str]:
    known = set(url_names(get_resolver("config.urls").url_patterns))
    named = [str(node.view_name.var) for node in nodes(template, URLNode)]  # type: ignore[attr-defined]
    return sorted(set(named) - known)


def wrong_includes(template: Template) -> list[str]:
    """Included files that do not exist or are no fragments."""
    named = [str(node.template.var) for node in nodes(template, IncludeNode)]  # type: ignore[attr-defined]
    return sorted(name for name in named if name not in NAMES or not name.rpartition("/")[2].startswith("_"))


@pytest.mark.parametrize("name", NAMES)
def test_template_parses_and_names_only_what_exists(name: str) -> None:
    template = parsed((FOLDER / name).read_text())

    assert (unknown_addresses(template), wrong_includes(template)) == ([], [])


def test_unknown_address_is_named() -> None:
    template = parsed("{% if user %}{% url 'board:moon' %}{% endif %}{% url 'admin:index' %}")

    assert unknown_addresses(template) == ["board:moon"]


def test_page_or_missing_file_as_fragment_is_named() -> None:
    template = parsed("{% include 'board/board.html' %}{% include 'board/_moon.html' %}")

    assert wrong_includes(template) == ["board/_moon.html", "board/board.html"]
