"""Stories share one running system: an engineer or a device of one file must not be another file's, too."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT

HIRES = {"at_the_scan", "begin", "day_of_jobs", "on_site", "on_the_way", "one_job", "start", "with_notices"}
STORIES = sorted((ROOT / "tests" / "browser").glob("test_*.py"))


def engineers_of(text: str) -> set[str]:
    """Usernames that a file's stories hire or sign in; none where the file has a system of its own."""
    if "HAS_OWN_SYSTEM = True" in text:
        return set()
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return {name for call in calls if _name(call) in HIRES for name in _names(call)}


def devices_of(text: str) -> set[str]:
    """FSANs that a file's stories scan: a second open job with the same device is refused, whoever ran first."""
    return set() if "HAS_OWN_SYSTEM = True" in text else set(re.findall(r'"([A-Z]{4}[0-9A-F]{8})"', text))


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _names(call: ast.Call) -> Iterator[str]:
    values = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "username")]
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
@pytest.mark.parametrize("found_in", [engineers_of, devices_of])
def test_no_other_file_of_stories_has_the_same(path: Path, found_in: Callable[[str], set[str]]) -> None:
    mine = found_in(path.read_text())
    others = {other.stem: mine & found_in(other.read_text()) for other in STORIES if other != path}
    assert {name: shared for name, shared in others.items() if shared} == {}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_page_waits_for_a_function_that_is_not_async(path: Path) -> None:
    """Playwright evaluates an expression again at each look, which our content security policy refuses at the second
    one; it takes the pending result of an async function itself for true (use tests.browser.story.until)."""
    assert not re.search(r"\.wait_for_function\(\s*+(?!f?[\"']+\([a-z, ]*\) =>)", path.read_text())


SHORTER_THAN_THE_DEFAULT = r"\.(to_[a-z_]+|wait_for[a-z_]*|expect_[a-z_]+)\([^\n]*timeout=[0-9]"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests").rglob("*browser*.py")) + STORIES, ids=lambda path: path.stem
)
def test_a_story_waits_as_long_as_all_others(path: Path) -> None:
    """SECONDS of tests.servers.browser: how long a loaded machine takes is not what a story shows."""
    assert not re.search(SHORTER_THAN_THE_DEFAULT, path.read_text())


def test_engineers_are_found_however_they_are_hired() -> None:
    text = 'one_job(system, "ann", 7)\nday_of_jobs(system, username="ben", plan=[1])\nstart("cleo")\nopen("dora")'
    assert engineers_of(text) == {"ann", "ben", "cleo"}
    assert engineers_of(f"HAS_OWN_SYSTEM = True\n{text}") == set()


def test_devices_are_found_where_they_are_written() -> None:
    text = 'FSAN, SERIAL_NUMBER = "CXNK1A2B3C4D", "261200123456"'
    assert devices_of(text) == {"CXNK1A2B3C4D"}
    assert devices_of(f"HAS_OWN_SYSTEM = True\n{text}") == set()
