"""A measurement that needs the sandbox seller's own settings: in a process of its own, which prints JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from demo.environment import BASE_DIR


def run_module(module: str, *arguments: str, url: str, folder: Path) -> dict[str, Any]:
    """What `python -m tests.bench.MODULE` printed; without `url` on SQLite in the folder."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "seller_sandbox.settings",
        "SANDBOX_DATABASE_PATH": str(folder / "sandbox.sqlite3"),
        "SANDBOX_DATABASE_URL": url,
    }
    command = [sys.executable, "-m", f"tests.bench.{module}", *arguments]
    done = subprocess.run(
        command, cwd=BASE_DIR, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
