"""The words of the code base, held over what scripts declare, their files' names, and the classes of stylesheets."""

import re

import pytest

from tests.conventions import naming
from tests.conventions.sources import Source, read

SCRIPTS = ("static/js", "tests/js", "frontend")
STYLES = ("static/css", "seller_sandbox")
# name: why a forbidden word stands in it
ALLOWED = {"icon-house": "it shows a house, and is called so where it comes from"}
DECLARED = re.compile(
    r"(?<![\w.'\"`-])(?:const|let|var|function\*?|class)\s+(\{[^}]*\}|\[[^\]]*\]|[A-Za-z_$][\w$]*)"
)
# in `{ words: text }` the member has a name of its own
MEMBER = re.compile(r"[A-Za-z_$][\w$]*\s*:")
NAME = re.compile(r"[A-Za-z_$][\w$]*")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
CLASS = re.compile(r"\.([A-Za-z_][\w-]*)")

BAD_SCRIPTS = [
    ("const letters = 1;", "letters"),
    ("let [rung, isSecond] = [0, false];", "rung"),
    ("const { words } = row;", "words"),
    ("const { text: said } = row;", "said"),
    ("export async function* openDoor() {}", "openDoor"),
    ("class Letter {}", "Letter"),
]
GOOD_SCRIPTS = ["const { words: text } = row;", "row.told = 1;", "const takenAt = 1;"]


def script_names(script: Source) -> list[str]:
    declared = (NAME.findall(MEMBER.sub("", found)) for found in DECLARED.findall(script.text))
    return [*re.split(r"[./]", script.path), *(name for names in declared for name in names)]


def class_names(stylesheet: Source) -> list[str]:
    return sorted({*CLASS.findall(COMMENT.sub("", stylesheet.text))})


def forbidden(path: str, names: list[str]) -> list[str]:
    return [
        f"{path}: {name}: not “{wrong}” but {instead}"
        for name in names
        if name not in ALLOWED
        for wrong, instead in naming.forbidden_words(name)
    ]


def test_no_script_declares_a_forbidden_name() -> None:
    scripts = [script for script in read(SCRIPTS, ".js", ".mjs") if "/built/" not in script.path]

    assert len(scripts) > 100
    assert [line for script in scripts for line in forbidden(script.path, script_names(script))] == []


def test_no_stylesheet_has_a_forbidden_class() -> None:
    stylesheets = list(read(STYLES, ".css"))

    assert len(stylesheets) > 10
    assert [line for sheet in stylesheets for line in forbidden(sheet.path, class_names(sheet))] == []


@pytest.mark.parametrize(("text", "name"), BAD_SCRIPTS)
def test_forbidden_name_of_a_script_is_found(text: str, name: str) -> None:
    script = Source("static/js/example.js", text)

    assert [line.split(": ")[1] for line in forbidden(script.path, script_names(script))] == [name]


@pytest.mark.parametrize("text", GOOD_SCRIPTS)
def test_good_name_of_a_script_is_left_alone(text: str) -> None:
    assert forbidden("example.js", script_names(Source("static/js/example.js", text))) == []


@pytest.mark.parametrize("path", ["static/js/phone/ladder.js", "static/js/pulse/poll.js"])
def test_path_of_a_script_is_a_name(path: str) -> None:
    assert len(forbidden(path, script_names(Source(path, "")))) == 1


def test_forbidden_class_is_found() -> None:
    sheet = Source("static/css/example.css", "/* .letter */ .card-letter:hover, .row { width: 1.5rem }")

    assert [line.split(": ")[1] for line in forbidden(sheet.path, class_names(sheet))] == ["card-letter"]
