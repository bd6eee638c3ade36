"""The code of the last release beside ours: unpacked from git, with an environment of its own if it needs another."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.check_run import ROOT

# the first release; from it on migrations are only added (docs/adr/0026)
FIRST_TAG = "v0.2.0"


@dataclass(frozen=True)
class Release:
    """`name` is for people; `folder` holds code and `.venv`."""

    name: str
    folder: Path

    def manage(self, *arguments: str) -> list[str]:
        return [str(self.folder / ".venv" / "bin" / "python"), "manage.py", *arguments]


def ours() -> Release:
    return Release("new", ROOT)


def last_tag() -> str:
    """The newest tag of a release that our code comes from, or nothing."""
    command = ["git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()


def is_known(revision: str) -> bool:
    command = ["git", "rev-parse", "--quiet", "--verify", f"{revision}^{{commit}}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def unpack(revision: str, folder: Path) -> Release:
    """The code as it was, ready to run."""
    packed = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "--extract", "--directory", folder], input=packed, check=True)
    if (folder / "uv.lock").read_bytes() == (ROOT / "uv.lock").read_bytes():
        (folder / ".venv").symlink_to(sys.prefix)
    else:
        subprocess.run([folder / "tools" / "environment.sh", "run"], cwd=folder, check=True)
    return Release(revision, folder)
