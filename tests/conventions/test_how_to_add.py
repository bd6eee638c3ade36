"""docs/how-to-add.md names files and tests that are there."""

import re

import pytest

from tests.conventions.sources import ROOT

PAGE = (ROOT / "docs" / "how-to-add.md").read_text()
ENDINGS = ("py", "js", "mjs", "ts", "json", "md", "sh", "yml", "toml", "html")
CODE = re.compile(r"`([^`\s]+)`")


def files_named(page: str) -> list[str]:
    """Paths in code style, without the name of a test; patterns too, and what stands for a name is one."""
    named = [code.partition("::")[0] for code in CODE.findall(page)]
    paths = [name.replace("NAME", "*") for name in named if name.endswith(ENDINGS) and "/" in name]
    return sorted(set(paths))


@pytest.mark.parametrize("path", files_named(PAGE))
def test_file_is_there(path: str) -> None:
    assert [*ROOT.glob(path)]


def test_paths_are_read_from_a_page() -> None:
    page = "`a/b.py`, `a/c.py::test_d`, `e/*.json`, `f/NAME_screen.js`, `make quick`, `WRONG`, `README.md`"

    assert files_named(page) == ["a/b.py", "a/c.py", "e/*.json", "f/*_screen.js"]
