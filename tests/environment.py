"""The product's own settings with a test's addresses; chosen before Django reads them."""

import os
import tempfile
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
TEST_DIR = Path(os.environ.get("TEST_DIR") or tempfile.mkdtemp(prefix="fibre-dispatch-"))
os.environ["DEPLOYMENT"] = "test"
os.environ["SECRET_KEY"] = "only-for-tests-and-never-anywhere-else-0123456789"
os.environ.setdefault("DATABASE_URL", f"sqlite:///{TEST_DIR / 'test.sqlite3'}")
os.environ["EVIDENCE_STORAGE_URL"] = f"file://{TEST_DIR / 'evidence'}"
os.environ.setdefault("LOG_LEVEL", "ERROR")

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES  # noqa: E402

if "postgresql" in str(DATABASES["default"]["ENGINE"]):
    # no test ends the machine; the product's processes wait for the disk as ever
    DATABASES["default"]["OPTIONS"]["options"] += " -c synchronous_commit=off"
else:
    # a file, not memory: threads, processes and the fair lock are part of what is tested
    DATABASES["default"]["TEST"] = {"NAME": str(TEST_DIR / "test_db.sqlite3")}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# a test database cannot be dropped while a worker thread keeps its connection
DATABASES["default"]["CONN_MAX_AGE"] = 0
# whitenoise warns, once for each test client, of a folder that is not there
STATIC_ROOT = TEST_DIR / "nothing-collected"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
# each test client would read the whole of static/ first
WHITENOISE_AUTOREFRESH = True
