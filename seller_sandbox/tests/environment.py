"""The sandbox's own settings for a test run: a folder of its own, and a partner on a free port."""

import atexit
import os
import shutil
import socket
import tempfile
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


FOLDER = Path(tempfile.mkdtemp(prefix="sandbox-tests-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
PARTNER_PORT = free_port()
os.environ |= {
    "SANDBOX_DATABASE_PATH": str(FOLDER / "sandbox.sqlite3"),
    "SANDBOX_PARTNER_URLS": f"https://127.0.0.1:{PARTNER_PORT}/seller",
    "SANDBOX_CERT": str(FOLDER / "seller.pem"),
    "SANDBOX_KEY": str(FOLDER / "seller.key"),
    "SANDBOX_NEXT_CERT": str(FOLDER / "seller-next.pem"),
    "SANDBOX_NEXT_KEY": str(FOLDER / "seller-next.key"),
    "SANDBOX_CA": str(FOLDER / "ca.pem"),
    "SANDBOX_ALLOWED_SUBJECTS": "partner",
    "SANDBOX_DEADLINE_SECONDS": "2",
    "SANDBOX_STRICT": "yes",
}

from seller_sandbox.settings import *  # noqa: E402, F403
from seller_sandbox.settings import DATABASES  # noqa: E402

# a test database cannot be dropped while a thread keeps its connection
DATABASES["default"]["CONN_MAX_AGE"] = 0
