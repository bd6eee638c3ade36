"""deploy/install.sh run again with corrected answers: what is there stays, and each difference is named."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conventions.sources import ROOT

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="install.sh is for root only")
SCRIPTS = ROOT / "deploy" / "install"
# the parts of install.sh, in a folder of the test; then the sentences that it ends with
LOADED = """
set -euo pipefail
. deploy/quoting.sh
. {scripts}/machine.sh && . {scripts}/answers.sh && . {scripts}/settings.sh && . {scripts}/services.sh
SETTINGS_FOLDER={folder} ENVIRONMENT={folder}/environment
DATA_FOLDER=/data BACKUP_FOLDER=/backups
read_answers {folder}/answers
each_answer fill_default
{steps}
for sentence in ${{REMAINING[@]+"${{REMAINING[@]}}"}}; do echo "remains: $sentence"; done
"""
ANSWERS = {
    "HOST_NAME": "dispatch.example.org",
    "PARTNER_NAME": "jobs.partner.example",
    "SELLER_ENDPOINTS": "https://a.seller.example",
    "SELLER_CA": "/nowhere.pem",
    "SELLER_ALLOWED_SUBJECTS": "jobs.seller.example",
    "SELLER_ALLOWED_ADDRESSES": "192.0.2.10",
    "OFFICE_PHONE": "0113 496 0111",
    "ORDER_DESK_PHONE": "0113 496 0100",
    "SUPERVISOR": "dana",
    "SUPERVISOR_NAME": "Dana Whitfield",
}
KEYS = "".join(
    f"{name}=x\n" for name in ("SECRET_KEY", "BACKUP_PASSPHRASE", "VAPID_PRIVATE_KEY", "QUESTION_MATRIX")
)


def remaining(folder: Path, steps: str, **changed: str) -> list[str]:
    """What is left to do after these steps with these answers."""
    (folder / "answers").write_text(
        "".join(f"{name}={text}\n" for name, text in {**ANSWERS, **changed}.items())
    )
    script = LOADED.format(scripts=SCRIPTS, folder=folder, steps=steps)
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("remains: ") for line in done.stdout.splitlines() if line.startswith("remains")]


@pytest.mark.parametrize(
    ("changed", "differing"),
    [
        ({}, []),
        ({"HOST_NAME": "jobs.example.org"}, ["PUBLIC_URL", "ALLOWED_HOSTS"]),
        ({"DATABASE_URL": "postgresql://x:y@db2:5432/dispatch"}, ["DATABASE_URL"]),
        ({"REDIS_URL": "redis://:y@other:6379/0"}, ["REDIS_URL"]),
        ({"OFFICE_PHONE": "0113 496 0112"}, ["OFFICE_PHONE"]),
    ],
)
def test_setting_that_differs_from_a_corrected_answer_is_named(
    tmp_path: Path, changed: dict[str, str], differing: list[str]
) -> None:
    (tmp_path / "environment").write_text(KEYS)
    first = {"DATABASE_URL": "postgresql://x:y@db:5432/dispatch", "REDIS_URL": "redis://:y@db:6379/0"}
    assert remaining(tmp_path, "write_settings", **first) == []
    written = (tmp_path / "environment").read_text()

    sentences = remaining(tmp_path, "write_settings", **{**first, **changed})

    file = tmp_path / "environment"
    assert sorted(sentences) == sorted(
        f"{name} in {file} differs from the answer and was kept. Change it there, then restart."
        for name in differing
    )
    assert file.read_text() == written


def test_own_database_and_further_hosts_are_no_difference(tmp_path: Path) -> None:
    own = (
        'ALLOWED_HOSTS="old.example.org, dispatch.example.org"\nDATABASE_URL=postgresql://fibre-dispatch:x@'
        "127.0.0.1:5432/fibre-dispatch\nREDIS_URL=redis://:x@127.0.0.1:6379/0\n"
    )
    (tmp_path / "environment").write_text(KEYS + own)

    assert remaining(tmp_path, "write_settings") == []


def test_new_setting_begins_its_own_line(tmp_path: Path) -> None:
    """Also below a last line without an end, as some editors leave it."""
    (tmp_path / "environment").write_text(f"{KEYS}WEB_PROCESSES=4")

    remaining(tmp_path, "write_settings")

    lines = (tmp_path / "environment").read_text().splitlines()
    assert lines[: lines.index("DEPLOYMENT=production")] == [*KEYS.splitlines(), "WEB_PROCESSES=4"]


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({}, ""),
        ({"PARTNER_NAME": "work.partner.example"}, "work.partner.example"),
        ({"HOST_NAME": "jobs.example.org"}, "jobs.example.org"),
    ],
)
def test_request_for_other_names_is_named(tmp_path: Path, changed: dict[str, str], missing: str) -> None:
    make = f"""
make_key {tmp_path}/partner.key root:root 0600
make_request {tmp_path}/partner.key "${{ANSWER[PARTNER_NAME]}}" {tmp_path}/partner.csr"""
    assert remaining(tmp_path, make) == []

    sentences = remaining(tmp_path, make, **changed)

    request = tmp_path / "partner.csr"
    assert sentences == (
        [
            f"{request} does not name {missing} and was kept. Delete it, and {tmp_path}/partner.pem while that is "
            "the temporary certificate, then run this again."
        ]
        if missing
        else []
    )


@pytest.fixture
def folder() -> Iterator[Path]:
    """Others may pass through it and what it lies in, unlike pytest's own and that of `make test`."""
    with TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o711)
        yield Path(name)


def make_certificates(folder: Path) -> "subprocess.CompletedProcess[str]":
    """By a copy of the scripts, in which `nobody` of this machine is the service's user."""
    for name in ("machine.sh", "settings.sh"):
        text = re.sub("(:|--regid=)fibre-dispatch", r"\1nogroup", (SCRIPTS / name).read_text())
        (folder / name).write_text(
            text.replace("fibre-dispatch:", "nobody:").replace("=fibre-dispatch", "=nobody")
        )
    answers = {**ANSWERS, "SELLER_CA": f"{folder}/authority", "QUESTION_MATRIX": f"{folder}/authority"}
    (folder / "authority").write_text("-----BEGIN CERTIFICATE-----\n")
    (folder / "answers").write_text("".join(f"{name}={text}\n" for name, text in answers.items()))
    steps = f". {folder}/machine.sh; SETTINGS_FOLDER={folder}; . {folder}/settings.sh; make_certificates"
    script = LOADED.format(scripts=SCRIPTS, folder=folder, steps=steps)
    return subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)


def access(path: Path) -> tuple[str, str, str]:
    return path.owner(), path.group(), oct(path.stat().st_mode & 0o777)


def test_service_can_read_what_root_replaced_under_a_careful_umask(folder: Path) -> None:
    assert make_certificates(folder).returncode == 0
    certificates = ("partner.pem", "people.pem", "seller-ca.pem", "question_matrix.json")
    files = {folder / name: (folder / name).read_bytes() for name in (*certificates, "partner.key")}
    for path in files:
        os.chown(path, 0, 0)
        path.chmod(0o600)

    done = make_certificates(folder)

    assert done.returncode == 0, done.stderr
    assert {path.name: access(path) for path in files} == {
        **dict.fromkeys(certificates, ("root", "nogroup", "0o640")),
        "partner.key": ("nobody", "nogroup", "0o600"),
    }
    assert {path: path.read_bytes() for path in files} == files


def test_certificate_in_a_folder_that_is_closed_to_the_service_stops(folder: Path, tmp_path: Path) -> None:
    assert make_certificates(folder).returncode == 0
    (folder / "people.pem").rename(tmp_path / "live.pem")
    (folder / "people.pem").symlink_to(tmp_path / "live.pem")

    done = make_certificates(folder)

    assert (done.returncode, f"The service's user cannot read {folder}/people.pem." in done.stderr) == (
        1,
        True,
    )


@pytest.mark.parametrize(("host", "is_named"), [("dispatch.example.org", False), ("jobs.example.org", True)])
def test_site_of_another_host_is_named(tmp_path: Path, host: str, *, is_named: bool) -> None:
    """A copy of the script whose site is in the test's folder, where neither nginx nor systemd is asked."""
    site = tmp_path / "fibre-people.conf"
    shutil.copy(ROOT / "deploy" / "nginx" / "people.conf", site)
    services = (SCRIPTS / "services.sh").read_text().replace("/etc/nginx/conf.d", str(tmp_path))
    (tmp_path / "services.sh").write_text(services)
    steps = (
        f". {tmp_path}/services.sh; nginx() {{ :; }}; service() {{ :; }}; systemctl() {{ :; }}; install_site"
    )

    sentences = remaining(tmp_path, steps, HOST_NAME=host)

    text = f"server_name in {site} differs from HOST_NAME and was kept. Change it there, then: systemctl reload nginx"
    assert sentences == ([text] if is_named else [])


def test_units_and_the_limits_of_the_journal_are_installed(tmp_path: Path) -> None:
    """Below a folder of the test, which is as empty as Debian's: journald's own has no journald.conf.d."""
    (tmp_path / "etc" / "systemd" / "system").mkdir(parents=True)
    services = (SCRIPTS / "services.sh").read_text().replace("/etc/", f"{tmp_path}/etc/")
    (tmp_path / "services.sh").write_text(services.replace("/usr/local/sbin", str(tmp_path)))
    calls = 'has_systemd() { :; }; sysctl() { :; }; systemctl() { echo "remains: $*"; }'

    first, second = (
        remaining(tmp_path, f". {tmp_path}/services.sh; {calls}; install_units") for _run in range(2)
    )

    for folder, installed in {"systemd": "system", "journald": "journald.conf.d"}.items():
        for file in (ROOT / "deploy" / folder).iterdir():
            copy = tmp_path / "etc" / "systemd" / installed / file.name
            assert (copy.read_bytes(), copy.stat().st_mode & 0o777) == (file.read_bytes(), 0o644)
    assert (first, second) == (["restart systemd-journald", "daemon-reload"], [])


def test_last_lines_name_the_address_that_is_used() -> None:
    """And not the answer, which may differ from it."""
    assert (
        'for %s/\\n\' "$VERSION" "$(setting_of PUBLIC_URL)"' in (ROOT / "deploy" / "install.sh").read_text()
    )


def steps(folder: Path, *options: str) -> list[str]:
    """What install.sh does with these options: the script itself, with parts that only name what they would do."""
    shutil.copytree(ROOT / "deploy", folder / "deploy")
    shutil.copy(ROOT / "pyproject.toml", folder)
    parts = folder / "deploy" / "install"
    names = re.findall(
        r"^(?:make|save|write|install|start)_\w+", (parts.parent / "install.sh").read_text(), re.M
    )
    effects = "".join(f"{name}() {{ echo {name}; }}\n" for name in {*names, "check_machine"})
    (parts / "services.sh").write_text(f"{effects}setting_of() {{ echo /nowhere; }}\n")
    for name in ("build", "manage"):
        (parts.parent / f"{name}.sh").write_text(f'#!/bin/bash\necho "{name} $1"\n')
    authority = folder / "ca.pem"
    authority.write_text("-----BEGIN CERTIFICATE-----\n")
    answers = {**ANSWERS, "SELLER_CA": str(authority)}
    (folder / "answers").write_text("".join(f"{name}={text}\n" for name, text in answers.items()))
    command = [str(parts.parent / "install.sh"), *options, "--answers", str(folder / "answers")]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def test_machine_for_a_restore_gets_neither_rows_nor_processes(tmp_path: Path) -> None:
    """A restore refuses a database with a user in it, and what the seller sends meanwhile would be replaced."""
    whole, for_restore = steps(tmp_path / "whole"), steps(tmp_path / "restore", "--for-restore")

    of_both = {line for line in for_restore if line in whole}
    assert {"make_database", "manage migrate", "install_units", "install_site"} <= of_both
    assert [line for line in whole if line.startswith(("manage", "start_")) and line not in of_both] == [
        "manage first_supervisor",
        "manage backup",
        "start_processes",
        "manage check",
        "manage check_link",
    ]
    assert any("Nothing was started" in line for line in for_restore)
