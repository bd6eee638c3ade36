"""How every process starts: without a library that only an import, a push or a bucket needs."""

import os
import subprocess
import sys

import pytest

from tests.conventions.sources import ROOT

HEAVY = {"openpyxl", "numpy", "geopy", "aiohttp", "pywebpush", "boto3", "weasyprint", "authlib"}
PAGES = "import config.wsgi; from django.urls import get_resolver; get_resolver().url_patterns"
COMMANDS = "import django; django.setup()"


@pytest.mark.parametrize("start", [PAGES, COMMANDS], ids=["pages", "commands"])
def test_process_starts_without_heavy_libraries(start: str) -> None:
    code = f"import sys; {start}; print(sorted({HEAVY!r} & set(sys.modules)))"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "GEOCODER": ""}

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines()[-1] == "[]"


def test_command_looks_for_garbage_again_once_it_has_started() -> None:
    code = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 10_000)"

    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == ["True True"]
