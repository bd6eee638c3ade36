"""A production start with the demo's trust, keys or addresses: refused, with everything that is wrong at once."""

import os
import re
import subprocess
import sys
from datetime import date, time
from pathlib import Path

import pytest
from django.apps import apps

from config.security import REQUIRED, SECRETS
from tests.config.test_handbook import BOOK
from tests.conventions.sources import ROOT
from tests.conventions.test_settings import documented
from tools.check import production


@pytest.fixture
def fit(tmp_path: Path) -> dict[str, str]:
    return production(tmp_path)


def manage(*command: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    outside = {name: value for name, value in os.environ.items() if name not in documented()}
    environment = {**outside, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def check(variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return manage("manage.py", "check", "--deploy", "--fail-level", "WARNING", variables=variables)


def test_fit_settings_start(fit: dict[str, str]) -> None:
    done = check(fit)

    assert (done.returncode, done.stderr.splitlines()[-1:]) == (0, [])


def test_settings_are_fit_at_every_hour() -> None:
    """Django warns of a field whose default is a fixed time within ten seconds of now: a start failed at eight."""
    fields = [field for model in apps.get_models() for field in model._meta.get_fields()]
    fixed = [field for field in fields if isinstance(getattr(field, "default", None), date | time)]

    assert [str(field) for field in fixed] == []


def test_everything_that_is_missing_is_named_at_once(fit: dict[str, str]) -> None:
    done = check({"DEPLOYMENT": "production"})

    assert done.returncode == 1
    named = done.stderr.removeprefix("Not started. ").partition(": not set")[0]
    assert set(named.split(", ")) == set(SECRETS) | set(REQUIRED)
    assert "Traceback" not in done.stderr


def test_no_process_of_ours_starts_without_them() -> None:
    done = manage("-c", "import config.wsgi", variables={"DEPLOYMENT": "production"})

    assert done.returncode == 1
    assert "SELLER_CA" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", [*SECRETS, *REQUIRED])
def test_each_of_them_is_needed(fit: dict[str, str], name: str) -> None:
    done = manage("-c", "import config.settings", variables=fit | {name: ""})

    assert done.stderr.splitlines()[-1].startswith(
        f"django.core.exceptions.ImproperlyConfigured: {name}: not set"
    )


def test_secret_may_come_from_a_file(fit: dict[str, str], tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(fit.pop("SECRET_KEY"))

    assert check(fit | {"SECRET_KEY_FILE": str(secret)}).returncode == 0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"DEBUG": "1"}, "DEBUG: shows settings"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY: too weak"),
        ({"SECRET_KEY": "x" * 60}, "SECRET_KEY: too weak"),
        ({"SECRET_KEY": "django-insecure-" + "0123456789abcdefghijklmnopqrstuvwxyz"}, "SECRET_KEY: too weak"),
        ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS: *"),
        ({"PUBLIC_URL": "http://dispatch.example.org"}, "PUBLIC_URL: http://dispatch.example.org does not"),
        (
            {"PUBLIC_URL": "https://127.0.0.1:8000"},
            "PUBLIC_URL: https://127.0.0.1:8000 is an address of this",
        ),
        ({"PUBLIC_URL": "https://localhost"}, "PUBLIC_URL: https://localhost is an address of this"),
        ({"ALLOWED_HOSTS": "https://dispatch.example.org"}, "ALLOWED_HOSTS: does not name dispatch.example"),
        ({"ALLOWED_HOSTS": "dispatch.example.org:443"}, "ALLOWED_HOSTS: does not name dispatch.example.org"),
        ({"PUBLIC_URL": "https://[2001:db8::7]"}, "ALLOWED_HOSTS: does not name [2001:db8::7]"),
    ],
)
def test_unsafe_value_stops_the_start(fit: dict[str, str], wrong: dict[str, str], sentence: str) -> None:
    done = check(fit | wrong)

    assert (done.returncode, sentence in done.stderr) == (1, True)


def test_the_demo_s_certificates_are_refused(fit: dict[str, str]) -> None:
    folder = ROOT / "var" / "demo" / "certs"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "made_by_a_test.pem"
    path.touch()
    try:
        done = check(fit | {"SELLER_CA": str(path)})
    finally:
        path.unlink()

    assert f"{path}: belongs to the demo" in done.stderr


def test_several_unsafe_values_are_named_at_once(fit: dict[str, str]) -> None:
    output = check(fit | {"DEBUG": "1", "SECRET_KEY": "short", "ALLOWED_HOSTS": "*"}).stderr

    assert all(name in output for name in ("DEBUG:", "SECRET_KEY:", "ALLOWED_HOSTS:"))


def test_password_alone_for_the_office_is_a_warning(fit: dict[str, str]) -> None:
    done = check(fit | {"REQUIRE_SECOND_FACTOR": "0"})

    assert (done.returncode, "config.W001" in done.stderr) == (1, True)


def test_handbook_marks_what_production_needs() -> None:
    rows = [line.split(" | ") for line in BOOK.splitlines() if line.startswith("| `")]

    marked = {
        cells[0].strip("| `") for cells in rows if len(cells) == 4 and "needed in production" in cells[2]
    }
    assert marked == set(SECRETS) | set(REQUIRED)


def test_handbook_s_example_starts(fit: dict[str, str]) -> None:
    """With the files of a test in place of those below /etc."""
    example = re.search(r"```\n(   DEPLOYMENT=production\n.*?)   ```", BOOK, re.S)
    assert example
    example_settings = dict(line.strip().split("=", 1) for line in example.group(1).splitlines())
    values = {
        name: value.strip('"') for name, value in example_settings.items() if not value.startswith("/etc/")
    }
    files = {name for name, value in example_settings.items() if value.startswith("/etc/")}
    known = {**fit, "PUBLIC_CERT": fit["SELLER_CLIENT_CERT"], "BACKUP_PASSPHRASE": "twelve words of no worth"}
    ours = {name.removesuffix("_FILE"): known[name.removesuffix("_FILE")] for name in files}

    assert check(values | ours).returncode == 0
