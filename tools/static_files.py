"""Collects the static files as production serves them, before there are settings: `python -m tools.static_files`."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.check import manage, production
from tools.check_run import ROOT


def main() -> int:
    """A production start insists on settings that static files do not depend on; values of no worth will do."""
    with tempfile.TemporaryDirectory(prefix="fibre-static-") as folder:
        environment = {**os.environ, **production(Path(folder))}
        command = manage("collectstatic", "--noinput", "--verbosity", "0")
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
