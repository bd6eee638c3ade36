"""deploy/systemd as systemd itself reads it: valid, closed, and starting commands that exist."""

import shlex
import shutil
import subprocess
from pathlib import Path
from subprocess import PIPE, Popen
from venv import EnvBuilder

import pytest
from django.core.management import get_commands, load_command_class

from tests.conventions.sources import ROOT

UNITS = ROOT / "deploy" / "systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
LONG_RUNNING = [name for name in SERVICES if name != "fibre-dispatch-backup.service"]
INSTALLED = "/opt/fibre-dispatch"
# of the service, and of a child when a line has come
PREFIX_OF_CHILD = """
import subprocess, sys
print(sys.prefix, flush=True)
input()
subprocess.run([sys.executable, "-c", "import sys; print(sys.prefix)"], check=True)
"""
# systemd's own scale: 10 is the worst, times ten
MOST_EXPOSED = 20
pytestmark = pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed"
)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The units with the application where it is on this machine."""
    folder = tmp_path / "units"
    folder.mkdir()
    for path in UNITS.iterdir():
        (folder / path.name).write_text(path.read_text().replace(INSTALLED, str(ROOT)))
    return folder


def settings_of(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text().splitlines():
        setting, is_setting, value = line.partition("=")
        if is_setting and not line.startswith("#"):
            found.setdefault(setting, []).append(value)
    return found


def analyze(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "SYSTEMD_UNIT_PATH": f"{folder}:"},
        capture_output=True,
        text=True,
        check=False,
    )


def instance(name: str) -> str:
    return name.replace("@.", "@8000.")


def test_units_are_valid(here: Path) -> None:
    done = analyze(here, "verify", "--man=no", *(f"./{instance(path.name)}" for path in here.iterdir()))

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", SERVICES)
def test_service_is_closed(here: Path, name: str) -> None:
    options = ("--offline=yes", "--no-pager", f"--threshold={MOST_EXPOSED}", f"./{instance(name)}")
    done = analyze(here, "security", *options)

    assert done.returncode == 0, done.stdout[-300:]


@pytest.mark.parametrize("name", SERVICES)
def test_service_has_a_user_a_limit_and_ends_with_all_its_processes(name: str) -> None:
    found = settings_of(name)

    assert (found["User"], found["Group"]) == (["fibre-dispatch"], ["fibre-dispatch"])
    assert (found["UMask"], found["KillMode"]) == (["0077"], ["mixed"])
    assert found["MemoryMax"][0].endswith("M")


@pytest.mark.parametrize("name", LONG_RUNNING)
def test_service_is_started_again_for_ever(name: str) -> None:
    found = settings_of(name)

    assert (found["Restart"], found["StartLimitIntervalSec"]) == (["always"], ["0"])


@pytest.mark.parametrize("name", LONG_RUNNING)
def test_service_starts_a_command_with_options_that_it_knows(name: str) -> None:
    env, python, script, command, *options = settings_of(name)["ExecStart"][0].replace("%i", "8000").split()

    assert (env, python, script) == ("/usr/bin/env", ".venv/bin/python", "manage.py")
    # env can always be started: systemd must say itself that the version is not built
    assert settings_of(name)["AssertFileIsExecutable"] == [f"{INSTALLED}/.venv/bin/python"]
    known = load_command_class(get_commands()[command], command)
    known.create_parser("manage.py", command).parse_args(options)


@pytest.mark.parametrize("name", SERVICES)
def test_running_service_stays_in_the_folder_of_its_version(tmp_path: Path, name: str) -> None:
    """Also what it starts or imports later, when an upgrade has changed the link."""
    link = tmp_path / "installed"
    for version in ("new", "old"):
        EnvBuilder(symlinks=True).create(tmp_path / version / ".venv")
        (tmp_path / version / "manage.py").write_text(PREFIX_OF_CHILD)
    link.symlink_to(tmp_path / "old")
    unit = {setting: text[0].replace(INSTALLED, str(link)) for setting, text in settings_of(name).items()}

    command = shlex.split(unit["ExecStart"])
    with Popen(command, cwd=unit["WorkingDirectory"], stdin=PIPE, stdout=PIPE, text=True) as service:
        assert service.stdout
        started = service.stdout.readline()
        link.unlink()
        link.symlink_to(tmp_path / "new")
        of_child, _nothing = service.communicate("\n")

    old = str(tmp_path / "old" / ".venv")
    assert (started.strip(), of_child.strip()) == (old, old)


def test_target_wants_two_web_servers_and_one_of_each_other() -> None:
    wanted = " ".join(settings_of("fibre-dispatch.target")["Wants"]).split()

    assert sorted(wanted) == [
        "fibre-dispatch-board-stream.service",
        "fibre-dispatch-relay.service",
        "fibre-dispatch-seller.service",
        "fibre-dispatch-web@8000.service",
        "fibre-dispatch-web@8001.service",
        "fibre-dispatch-webhooks.service",
        "fibre-dispatch-worker.service",
    ]
