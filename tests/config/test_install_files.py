"""deploy/install.sh when a command fails on the way: no half file stays that the next run would keep."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from tests.config.test_install_again import LOADED, SCRIPTS, access, remaining
from tests.conventions.sources import ROOT
from tests.servers.certificates import Authority

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="install.sh is for root only")
KEY = "make_key $folder/people.key root:root 0600"
TOO_LONG = "a" * 65
# openssl as it is on a machine whose library is broken, and as it ends on a full disk
FAILING = ["openssl() { return 1; }", "openssl() { echo -----BEGIN; return 1; }", "openssl() { :; }"]


def run(folder: Path, steps: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    (folder / "answers").write_text("HOST_NAME=dispatch.example.org\n")
    script = LOADED.format(scripts=SCRIPTS, folder=folder, steps=f"folder={folder}; {steps}")
    return subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("failing", FAILING)
@pytest.mark.parametrize(
    ("step", "file"),
    [
        (KEY, "people.key"),
        ("make_request $folder/key name $folder/people.csr", "people.csr"),
        ("make_temporary_certificate $folder/key name $folder/people.pem", "people.pem"),
    ],
)
def test_failed_openssl_leaves_no_file(tmp_path: Path, failing: str, step: str, file: str) -> None:
    before = {*tmp_path.iterdir(), tmp_path / "answers"}

    done = run(tmp_path, f"{failing}; {step}")

    assert (done.returncode, set(tmp_path.iterdir())) == (1, before)
    assert f"{tmp_path / file} was not written: openssl failed or gave nothing." in done.stderr


def test_empty_file_of_an_earlier_run_is_made_again(tmp_path: Path) -> None:
    for name in ("people.key", "people.csr", "people.pem", "matrix.json"):
        (tmp_path / name).touch()
    (tmp_path / "given.json").write_text("{}")
    steps = f"""
{KEY}
make_request $folder/people.key name $folder/people.csr
write_file() {{ "${{@:4}}" >"$1"; }}
make_temporary_certificate $folder/people.key name $folder/people.pem
write_file() {{ cat >"$1"; }}
copy_once $folder/given.json $folder/matrix.json"""

    done = run(tmp_path, steps)

    assert done.returncode == 0, done.stderr
    assert access(tmp_path / "people.key") == ("root", "root", "0o600")
    started = {
        name: (tmp_path / name).read_text()[:24] for name in ("people.key", "people.csr", "people.pem")
    }
    assert started == {
        "people.key": "-----BEGIN PRIVATE KEY--",
        "people.csr": "-----BEGIN CERTIFICATE R",
        "people.pem": "-----BEGIN CERTIFICATE--",
    }
    assert (tmp_path / "matrix.json").read_text() == "{}"


def test_certificate_is_temporary_until_an_authority_signs_it(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    signed = Path(authority.issue("partner").certificate).read_text()
    chain = tmp_path / "chain.pem"
    chain.write_text(signed + Path(authority.ca).read_text())
    steps = f"""
{KEY}
write_file() {{ "${{@:4}}" >"$1"; }}
make_temporary_certificate $folder/people.key name $folder/people.pem
for file in people.pem chain.pem; do if is_self_signed $folder/$file; then echo "$file"; fi; done"""

    done = run(tmp_path, steps)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "people.pem"


def test_name_that_no_certificate_can_hold_stops_with_openssl_s_reason(tmp_path: Path) -> None:
    done = run(tmp_path, f"{KEY}; make_request $folder/people.key {TOO_LONG} $folder/people.csr")

    assert (done.returncode, (tmp_path / "people.csr").exists()) == (1, False)
    assert "string too long" in done.stderr


def test_password_that_could_not_be_made_stops_before_the_settings(tmp_path: Path) -> None:
    """An empty one would stay: a setting that is there is kept."""
    steps = "openssl() { return 1; }; postgresql_port() { echo 5432; }; "
    for step in ("key DATABASE_URL database_url", "key REDIS_URL redis_url", "key SECRET_KEY random_key"):
        done = run(tmp_path, "NEW_SETTINGS=''; ANSWER[DATABASE_URL]=''; " + steps + step)

        assert (step, done.returncode) == (step, 1)


def test_settings_that_cannot_be_read_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "environment").write_text("SECRET_KEY=x\n")
    steps = "awk() { return 2; }; NEW_SETTINGS=A=1; write_file $ENVIRONMENT root:root 0600 settings_with_new"

    done = run(tmp_path, steps)

    assert (done.returncode, (tmp_path / "environment").read_text()) == (1, "SECRET_KEY=x\n")


def test_site_is_written_for_the_host(tmp_path: Path) -> None:
    services = (SCRIPTS / "services.sh").read_text().replace("/etc/nginx/conf.d", str(tmp_path))
    (tmp_path / "services.sh").write_text(services)
    calls = "nginx() { :; }; service() { :; }; systemctl() { :; }"

    assert remaining(tmp_path, f". {tmp_path}/services.sh; {calls}; install_site") == []

    example = (ROOT / "deploy" / "nginx" / "people.conf").read_text()
    if not Path("/proc/net/if_inet6").exists():
        example = "".join(line for line in example.splitlines(keepends=True) if "listen [::]:" not in line)
    assert (tmp_path / "fibre-people.conf").read_text() == example


@pytest.mark.parametrize("tags", [(), ("v0.9.0", "v0.10.0", "later")])
def test_first_step_of_the_handbook_takes_the_newest_release_or_what_there_is(
    tmp_path: Path, tags: tuple[str, ...]
) -> None:
    """Its lines as they stand there, with a repository and a folder of the test."""
    repository, opt = tmp_path / "repository", tmp_path / "opt"
    opt.mkdir()
    git = f"git -C {repository} -c user.name=Dana -c user.email=dana@example.org"
    commands = [f"git init -q -b main {repository}"]
    for tag in (*tags, "main"):
        commands += [
            f"""echo 'version = "{tag.removeprefix("v")}"' >{repository}/pyproject.toml""",
            f"{git} add . && {git} commit -qm {tag}",
            *([f"{git} tag {tag}"] if tag != "main" else []),
        ]
    section = (ROOT / "docs" / "operating.md").read_text().partition("\n## Install\n")[2]
    step = section.partition("   ```\n")[2].partition("   ```\n")[0]
    lines = [line for line in step.splitlines() if "apt-get" not in line]
    commands += [line.replace("REPOSITORY", str(repository)).replace("/opt", str(opt)) for line in lines]

    script = "set -e\n" + "\n".join([*commands, "pwd"])
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)

    newest = "0.10.0" if tags else "main"
    folder = str(opt / f"fibre-dispatch-{newest}")
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, [folder]), done.stderr


def test_password_of_the_database_is_in_no_process_list(tmp_path: Path) -> None:
    """Read while the connection is being made: every user of the machine sees arguments."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"postgresql://dispatch:planted-password@127.0.0.1:{server.getsockname()[1]}/dispatch"
        script = LOADED.format(scripts=SCRIPTS, folder=tmp_path, steps='can_use_database "$TESTED"')
        (tmp_path / "answers").touch()
        with subprocess.Popen(
            ["bash", "-c", script], cwd=ROOT, env={"PATH": os.environ["PATH"], "TESTED": url}
        ) as process:
            connection, _address = server.accept()
            seen = [
                path for path in Path("/proc").glob("[0-9]*/cmdline") if b"planted-password" in read(path)
            ]
            connection.close()
            server.close()

            assert (process.wait() != 0, seen) == (True, [])


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        # it ended meanwhile
        return b""
