"""static/built is what frontend/build.mjs makes of static/js/phone, to the byte: nobody edits it, nobody forgets it."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from phone import pwa
from tests.conventions.sources import ROOT
from tests.scanner_files import scanner_files

PHONE = ROOT / "static" / "js" / "phone"
BUILT = ROOT / "static" / pwa.BUILT
AGAIN = "make it again: cd frontend && npm ci --ignore-scripts && npm run build"
ESBUILD = ROOT / "frontend" / "node_modules" / "esbuild"


def sources_hash() -> str:
    """As frontend/build.mjs reckons it."""
    found = [PHONE / "flow.js", *(PHONE / "app").rglob("*.js"), *(PHONE / "scan").rglob("*.js")]
    digest = hashlib.sha256()
    for path in sorted(found, key=lambda path: path.relative_to(PHONE).as_posix()):
        digest.update(path.relative_to(PHONE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_phone_script_is_of_the_present_sources() -> None:
    assert json.loads((BUILT / "MANIFEST.json").read_text())["sources"] == sources_hash(), AGAIN


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.skipif(
    not ESBUILD.exists(), reason="esbuild is not there (cd frontend && npm ci --ignore-scripts)"
)
def test_phone_script_is_what_a_fresh_build_makes(tmp_path: Path) -> None:
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=ROOT / "frontend", check=True, timeout=60)

    assert files(tmp_path) == files(BUILT), AGAIN


def test_page_loads_only_what_the_worker_keeps() -> None:
    cached = set(pwa.addresses())

    assert set(pwa.page_scripts()) | set(scanner_files()) <= cached
    assert {address for address in cached if "/built/" in address} > set(pwa.page_scripts())
