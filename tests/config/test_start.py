"""How every process starts: without a library that only an import, a push or a bucket needs."""

import os
import subprocess
import sys

import pytest
from django.core.checks import registry
from django.core.management import load_command_class
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from monitoring.service_command import ServiceCommand
from tests.conventions.sources import OURS, ROOT

HEAVY = {"openpyxl", "numpy", "geopy", "aiohttp", "pywebpush", "boto3", "weasyprint", "authlib"}
PAGES = "import config.wsgi; from django.urls import get_resolver; get_resolver().url_patterns"
COMMANDS = "import django; django.setup()"
SERVICES = {
    "relay": "seller_link",
    "seller_server": "seller_link",
    "worker": "background",
    "webhooks": "partner_api",
    "board_stream": "board",
}


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


def test_checks_of_a_service_load_no_page() -> None:
    checked = "[command.check(**command.get_check_kwargs({})) for command in commands]"
    found = "print({'config.urls', 'rest_framework.templatetags'} & set(sys.modules))"
    commands = f"commands = [management.load_command_class(app, name) for name, app in {SERVICES!r}.items()]"
    code = f"import sys; {COMMANDS}; from django.core import management; {commands}; {checked}; {found}"

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize("name", SERVICES)
def test_service_still_refuses_a_pool_of_connections(
    name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(settings.DATABASES["default"], "OPTIONS", {"pool": True})
    command = load_command_class(SERVICES[name], name)

    with pytest.raises(SystemCheckError, match=r"config\.E001"):
        command.check(**command.get_check_kwargs({}))


def test_services_run_each_check_of_ours() -> None:
    ours = [check for check in registry.registry.get_checks() if check.__module__.split(".")[0] in OURS]

    assert {check.__name__ for check in ours} >= {"no_connection_pool", "backup_folder_is_apart"}
    tags = set(ServiceCommand.requires_system_checks)
    assert [check.__name__ for check in ours if not tags & set(check.tags)] == []
