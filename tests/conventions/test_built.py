"""static/built is what frontend/build.mjs makes of the phone's scripts and of the style sheets, to the byte: nobody
edits it, nobody forgets it."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from phone import pwa
from tests.conventions.sources import ROOT
from tests.scanner_files import scanner_files

SCRIPTS = ROOT / "static" / "js"
BUILT = ROOT / "static" / "built"
CSS = ROOT / "static" / "css"
SHEETS = ("base.css", "board.css", "day.css", "phone.css")
AGAIN = "make it again: cd frontend && npm ci --ignore-scripts && npm run build"
ESBUILD = ROOT / "frontend" / "node_modules" / "esbuild"


def with_imports(sheet: str) -> set[str]:
    imports = re.findall(r'@import "\./(.+?)"', (CSS / sheet).read_text())
    return {sheet}.union(*map(with_imports, imports))


def sources_hash() -> str:
    """As frontend/build.mjs computes it."""
    names = [f"js/{path.relative_to(SCRIPTS).as_posix()}" for path in SCRIPTS.rglob("*.js")]
    names += [f"css/{path}" for path in set().union(*map(with_imports, SHEETS))]
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + b"\0" + (ROOT / "static" / name).read_bytes() + b"\0")
    return digest.hexdigest()


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_phone_script_is_of_the_present_sources() -> None:
    assert (
        json.loads((ROOT / "static" / pwa.BUILT / "MANIFEST.json").read_text())["sources"] == sources_hash()
    ), AGAIN


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.skipif(
    not ESBUILD.exists(), reason="esbuild is not there (cd frontend && npm ci --ignore-scripts)"
)
def test_phone_script_is_what_a_fresh_build_makes(tmp_path: Path) -> None:
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=ROOT / "frontend", check=True, timeout=60)

    assert files(tmp_path) == files(BUILT), AGAIN


def test_page_loads_only_what_the_worker_keeps() -> None:
    cached = set(pwa.addresses())

    assert {*pwa.scripts_of("page"), *pwa.scripts_of("job"), *scanner_files()} <= cached
    assert {address for address in cached if "/built/" in address} > set(pwa.scripts_of("page"))


def test_scripts_hold_every_module_that_a_page_names_and_no_other() -> None:
    templates = (path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    named = {name for text in templates for name in re.findall(r'data-module="([^"]+)"', text)}

    scripts = (SCRIPTS / "board" / "board.js", SCRIPTS / "pages.js")
    held = {name for path in scripts for name in re.findall(r'^  "(.+)": ', path.read_text(), re.MULTILINE)}
    assert held == named
