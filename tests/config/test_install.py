"""deploy/install.sh: its scripts, its answers, and what it installs compared with the settings and the units."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from config.security import REQUIRED, SECRETS
from operations.backup_secrets import environment_line
from tests.conventions.sources import ROOT
from tests.conventions.test_settings import documented
from tests.upgrade.side_by_side import PROCESSES

DEPLOY = ROOT / "deploy"
SCRIPTS = [*sorted(DEPLOY.rglob("*.sh")), ROOT / "tools" / "environment.sh", ROOT / ".ci" / "run"]
INSTALL = DEPLOY / "install.sh"
SETTINGS_SCRIPT = (DEPLOY / "install" / "settings.sh").read_text()
ANSWERS_SCRIPT = (DEPLOY / "install" / "answers.sh").read_text()
OPERATING = (ROOT / "docs" / "operating.md").read_text()
NAMES = re.findall(r"^([A-Z_]+);(?:needed|free);", ANSWERS_SCRIPT, re.M)
GOOD = {
    "HOST_NAME": "dispatch.example.org",
    "PARTNER_NAME": "jobs.partner.example",
    "SELLER_ENDPOINTS": "https://a.seller.example,https://b.seller.example",
    "SELLER_ALLOWED_SUBJECTS": "jobs.seller.example",
    "SELLER_ALLOWED_ADDRESSES": "192.0.2.10,2001:db8::1",
    "OFFICE_PHONE": '"0113 496 0111"',
    "ORDER_DESK_PHONE": "+44 113 496 0100",
    "SUPERVISOR": "dana",
    "SUPERVISOR_NAME": "Dana O'Hara",
}


@pytest.fixture
def good(tmp_path: Path) -> dict[str, str]:
    authority = tmp_path / "seller-ca.pem"
    authority.write_text("-----BEGIN CERTIFICATE-----\n")
    return {**GOOD, "SELLER_CA": str(authority)}


def check(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """What install.sh says about a file of answers."""
    path = folder / "answers"
    path.write_text(text)
    return subprocess.run(
        [str(INSTALL), "--check-answers", str(path)], capture_output=True, text=True, check=False
    )


def lines(answers: dict[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in answers.items())


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    command = ["shellcheck", "--external-sources", *map(str, SCRIPTS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "script", [INSTALL, DEPLOY / "build.sh", DEPLOY / "manage.sh"], ids=lambda path: path.name
)
def test_script_can_be_run(script: Path) -> None:
    assert script.stat().st_mode & 0o111 == 0o111


def test_complete_answers_are_taken(tmp_path: Path, good: dict[str, str]) -> None:
    done = check(tmp_path, "# ours\n\n" + lines(good))

    assert (done.returncode, done.stdout, done.stderr) == (0, "The answers are complete.\n", "")


def test_answers_of_another_system_s_editor_are_taken(tmp_path: Path, good: dict[str, str]) -> None:
    """Lines that end with CR, and a last one without an end."""
    assert check(tmp_path, lines(good).replace("\n", "\r\n").removesuffix("\r\n")).returncode == 0


def test_nothing_in_the_answers_is_run(tmp_path: Path, good: dict[str, str]) -> None:
    made = tmp_path / "made"
    done = check(
        tmp_path, lines(good | {"SUPERVISOR_NAME": f"$(touch {made})", "OFFICE_PHONE": f"`touch {made}`"})
    )

    assert (done.returncode, made.exists()) == (1, False)


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("HOST_NAME", "https://dispatch.example.org", "without https://"),
        ("HOST_NAME", "192.0.2.7", "write a name"),
        ("HOST_NAME", "", "HOST_NAME: missing"),
        ("HOST_NAME", f"{'a' * 50}.example-network.org", "make a shorter name for this machine"),
        ("HOST_NAME", f"{'a' * 64}.org", "write a name"),
        ("PARTNER_NAME", "a/b", "write letters"),
        ("SELLER_ENDPOINTS", "http://a.seller.example", "write https:// addresses"),
        ("SELLER_CA", "/nowhere/ca.pem", "the file /nowhere/ca.pem cannot be read"),
        ("SELLER_CA", str(INSTALL), "holds no certificate in PEM"),
        ("SELLER_ALLOWED_ADDRESSES", "seller.example", "write addresses like 192.0.2.10"),
        ("SELLER_ALLOWED_SUBJECTS", ",", "write names like"),
        ("OFFICE_PHONE", "ask", "write a number"),
        ("SUPERVISOR", "Dana Whitfield", "write small letters"),
        ("SUPERVISOR_NAME", 'Dana "D" Whitfield', "leave it out"),
        ("TIME_ZONE", "London time", "write a zone"),
        ("TIME_ZONE", "Europe/Nowhere", "write a zone"),
        ("SELLER_ALLOWED_ADDRESSES", "192.0.2.10,999.999.1.1", "write addresses like 192.0.2.10"),
        ("SELLER_ENDPOINTS", "https://a.seller.example:99999", "write https:// addresses"),
        ("DATABASE_URL", "postgresql://dispatch:x@db:99999/dispatch", "write postgresql://"),
        ("REDIS_URL", "redis://127.0.0.1:0/0", "write rediss://"),
        ("DATABASE_URL", "sqlite:///x", "write postgresql://"),
        ("REQUIRE_SECOND_FACTOR", "maybe", "write 1 or 0"),
    ],
)
def test_wrong_answer_is_named_with_its_remedy(
    tmp_path: Path, good: dict[str, str], name: str, value: str, remedy: str
) -> None:
    done = check(tmp_path, lines(good | {name: value}))

    (line,) = [line for line in done.stderr.splitlines() if line.startswith("  ")]
    assert (done.returncode, line.startswith(f"  {name}: "), remedy in line) == (1, True, True)


def test_everything_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    done = check(tmp_path, "HOSTNAME=a\nOFFICE_PHONE\nSUPERVISOR=dana\nSUPERVISOR=eve\n")

    found = [line.strip() for line in done.stderr.splitlines()[1:]]
    assert found[:3] == [
        "line 1: HOSTNAME is not an answer; deploy/answers.example lists them",
        'line 2: "OFFICE_PHONE" has no =; write NAME=value',
        "line 4: SUPERVISOR is there twice; keep one",
    ]
    needed = set(GOOD) | {"SELLER_CA"}
    assert {line.partition(":")[0] for line in found[3:]} == needed - {"SUPERVISOR"}


def test_file_that_is_not_there_is_named() -> None:
    done = subprocess.run(
        [str(INSTALL), "--check-answers", "/nowhere/answers"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, "the file /nowhere/answers cannot be read" in done.stderr) == (1, True)


def test_relative_name_is_meant_from_the_folder_of_the_start(tmp_path: Path, good: dict[str, str]) -> None:
    (tmp_path / "answers").write_text(lines(good))

    done = subprocess.run(
        [str(INSTALL), "--check-answers", "answers"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "The answers are complete.\n")


@pytest.mark.parametrize("argument", ["dve", "--help", "run dev"])
def test_environment_that_is_neither_of_the_two_is_refused_before_anything(
    tmp_path: Path, argument: str
) -> None:
    """In a copy of the script alone: what goes on would look for uv.lock."""
    script = tmp_path / "tools" / "environment.sh"
    script.parent.mkdir()
    shutil.copy(ROOT / "tools" / "environment.sh", script)

    done = subprocess.run([str(script), argument], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (
        2,
        f'tools/environment.sh: "{argument}" is neither run nor dev; write run for the demo, dev for the tests\n',
    )


def test_service_can_read_what_root_builds_under_a_careful_umask(tmp_path: Path) -> None:
    """In a copy of build.sh, cloned under that umask, with an environment that makes a file."""
    stubs = {
        "tools/environment.sh": "mkdir -p .venv/bin .venv/lib && cp tools/python .venv/bin && echo 1 >.venv/lib/a.py",
        "tools/python": 'if [ "$2" = tools.static_files ]; then (umask 077 && mkdir var/static/css); fi',
        "uv.lock": "",
        ".git/config": "",
        "var/data": "",
        **{f"{app}/static/a": "" for app in ("static", "seller_sandbox", "board", "phone", "engineers")},
    }
    for name, text in stubs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
    (tmp_path / "deploy").mkdir()
    shutil.copy(DEPLOY / "build.sh", tmp_path / "deploy")
    subprocess.run(["chmod", "-R", "u+x,go-rwx", tmp_path], check=True)

    subprocess.run([tmp_path / "deploy" / "build.sh", "application"], umask=0o077, check=True)

    def is_closed(path: Path) -> bool:
        needed = 0o055 if path.is_dir() else 0o044
        return path.stat().st_mode & needed != needed

    closed = sorted(
        str(path.relative_to(tmp_path)) for path in [tmp_path, *tmp_path.rglob("*")] if is_closed(path)
    )
    assert closed == [".git", ".git/config", "var/data"]
    assert (tmp_path / "var" / "static" / "css").is_dir()


def test_keys_and_settings_are_for_their_readers_alone() -> None:
    """nginx's user may be in the service's group."""
    written = re.findall(r"\"?(\S+?)\"? (\S+:\S+) (0\d{3})\b", SETTINGS_SCRIPT)

    assert {path.rpartition("/")[2]: who for path, *who in written if ".key" in path or "ENV" in path} == {
        "$ENVIRONMENT": ["root:root", "0600"],
        "partner.key": ["fibre-dispatch:fibre-dispatch", "0600"],
        "people.key": ["root:root", "0600"],
    }
    assert "`root:root`, 0600: systemd reads it" in OPERATING


def test_example_and_handbook_name_every_answer() -> None:
    example = re.findall(r"^#?([A-Z_]+)=", (DEPLOY / "answers.example").read_text(), re.M)
    handbook = re.findall(r"^\| (?:yes|no) \| `([A-Z_]+)` \|", OPERATING, re.M)

    assert (sorted(example), sorted(handbook)) == (sorted(NAMES), sorted(NAMES))


def written_settings() -> set[str]:
    """The variables that settings.sh writes."""
    block = SETTINGS_SCRIPT.partition("write_settings() {")[2].partition("\n}\n")[0]
    several = re.search(r"for name in (.*?);", block, re.S)
    assert several
    return {
        *re.findall(r"\b(?:setting|key|has_setting) ([A-Z_]+)", block),
        *several.group(1).replace("\\", "").split(),
    }


def test_installer_writes_what_production_needs_and_nothing_unknown() -> None:
    written = written_settings()

    assert {*REQUIRED, *SECRETS, "DEPLOYMENT"} - written == set()
    passphrase = {"BACKUP_PASSPHRASE"}
    assert written - documented() - passphrase == set()


def test_units_read_the_file_and_folders_that_the_installer_makes() -> None:
    machine = (DEPLOY / "install" / "machine.sh").read_text()
    for unit in (DEPLOY / "systemd").glob("*.service"):
        text = unit.read_text()
        assert "EnvironmentFile=/etc/fibre-dispatch/environment\n" in text
        folders = re.findall(r"^StateDirectory=(.*)$", text, re.M)[0].split()
        assert [name for name in folders if f"=/var/lib/{name}\n" not in machine] == []


def units_of_the_target() -> list[str]:
    target = (DEPLOY / "systemd" / "fibre-dispatch.target").read_text()
    return re.findall(r"fibre-dispatch-([\w@-]+)\.service", target)


def test_installer_looks_at_every_unit_of_the_target() -> None:
    services = (DEPLOY / "install" / "services.sh").read_text()
    looked_at = re.search(r"for unit in (.*); do\n +systemctl is-active", services)
    assert looked_at

    assert sorted(looked_at.group(1).split()) == sorted(units_of_the_target())


def test_upgrade_restarts_every_unit_of_the_target() -> None:
    section = OPERATING.partition("### Upgrade and roll back")[2].partition("\nRoll back, ")[0]
    restarted = [
        unit
        for line in re.findall(r"systemctl restart (.*)", section)
        for unit in line.partition("#")[0].split()
    ]

    assert sorted(restarted) == sorted(f"fibre-dispatch-{unit}" for unit in units_of_the_target())


def test_upgrade_is_played_with_every_process_of_the_target() -> None:
    commands = [
        re.search(r"manage\.py (\w+)", (DEPLOY / "systemd" / f"fibre-dispatch-{unit}.service").read_text())
        for unit in {re.sub("@.*", "@", unit) for unit in units_of_the_target()}
    ]

    assert sorted(PROCESSES) == sorted(found.group(1) for found in commands if found)


def test_restore_stops_and_starts_every_unit_of_the_target() -> None:
    section = OPERATING.partition("\nRestore with the version")[2].partition("\n#")[0]

    assert re.findall(r"systemctl (stop|start) fibre-dispatch\.target", section) == ["stop", "start"]
    for unit in units_of_the_target():
        service = (DEPLOY / "systemd" / f"fibre-dispatch-{re.sub('@.*', '@', unit)}.service").read_text()
        # else it would go on when the target is stopped
        assert "PartOf=fibre-dispatch.target" in service


def copy_of_manage(folder: Path) -> tuple[Path, Path]:
    """Its settings are in the test's folder; without the service's user it ends after them. Settings and script."""
    settings, script = folder / "environment", folder / "deploy" / "manage.sh"
    script.parent.mkdir()
    shutil.copy(DEPLOY / "quoting.sh", script.parent)
    text = (DEPLOY / "manage.sh").read_text()
    script.write_text(
        text.replace("/etc/fibre-dispatch/environment", str(settings)).replace("exec ", "echo ")
    )
    return settings, script


@pytest.mark.skipif(os.geteuid() != 0, reason="fibre-dispatch is for root only")
@pytest.mark.parametrize(("level", "is_refused"), [("DEBUG", True), ("INFO", False), (None, False)])
def test_setting_of_the_shell_that_differs_from_the_file_is_refused(
    tmp_path: Path, level: str | None, *, is_refused: bool
) -> None:
    settings, script = copy_of_manage(tmp_path)
    settings.write_text("LANG=C.UTF-8\nLOG_LEVEL=INFO\n")
    variables = {"PATH": os.environ["PATH"], "LANG": "de_DE.UTF-8", **({"LOG_LEVEL": level} if level else {})}

    done = subprocess.run(
        ["bash", str(script), "check"], env=variables, capture_output=True, text=True, check=False
    )

    refusal = (
        f"fibre-dispatch: LOG_LEVEL is set here and in {settings}, and differs; unset it here, or change it"
    )
    assert (done.returncode, done.stderr) == ((1, f"{refusal} there\n") if is_refused else (0, ""))


@pytest.mark.skipif(os.geteuid() != 0, reason="fibre-dispatch is for root only")
@pytest.mark.parametrize(
    ("argument", "is_refused"),
    [
        ("seller.jsonl", True),
        ("--record=seller.jsonl", True),
        ("{home}/seller.jsonl", True),
        ("/etc/passwd", False),
        ("not_there.jsonl", False),
        # a word that happens to be the name of a file
        ("engineers", False),
    ],
)
def test_file_that_the_service_cannot_read_is_refused(
    tmp_path: Path, argument: str, *, is_refused: bool
) -> None:
    """A relative one lies where root stands, and not in the folder of the version. Here `nobody` is the service."""
    settings, script = copy_of_manage(tmp_path)
    settings.write_text("")
    script.write_text(
        script.read_text().replace(
            "reuid=fibre-dispatch --regid=fibre-dispatch", "reuid=nobody --regid=nogroup"
        )
    )
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("seller.jsonl", "engineers"):
        (home / name).write_text("")
    command = ["bash", str(script), "reconcile", argument.format(home=home)]

    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)

    assert done.returncode == is_refused
    if is_refused:
        file = argument.format(home=home).removeprefix("--record=")
        assert f"\n  install -o fibre-dispatch -m 0600 {file} /var/lib/fibre-dispatch/\n" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="fibre-dispatch is for root only")
def test_settings_of_a_restore_are_read_as_they_were(tmp_path: Path) -> None:
    """Both readers of the file undo what a backup writes, as systemd does."""
    values = {
        "SMS_GATEWAY_FIELDS": '{"recipients": ["%(number)s"], "text": "a \\"b\\" \\\\ $c"}',
        "OFFICE_PHONE": "0113 496 0111",
        "PASSWORD": "back\\slash\\\\",
        "EMPTY": "",
    }
    settings, script = copy_of_manage(tmp_path)
    settings.write_text(
        "".join(environment_line(name, value) for name, value in values.items()) + "PLAIN=a/b\n"
    )
    script.write_text(re.sub("^echo .*", "env -0", script.read_text(), flags=re.M))
    done = subprocess.run(
        ["bash", str(script), "check"], env={"PATH": os.environ["PATH"]}, capture_output=True, check=True
    )
    read = dict(line.split("=", 1) for line in done.stdout.decode().rstrip("\0").split("\0"))

    wanted = {**values, "PLAIN": "a/b"}
    assert {name: read[name] for name in wanted} == wanted
    load = f". deploy/quoting.sh; SETTINGS_FOLDER={tmp_path}; . deploy/install/settings.sh"
    for name, value in wanted.items():
        command = ["bash", "-c", f"{load}; setting_of {name}"]
        assert subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode() == value
