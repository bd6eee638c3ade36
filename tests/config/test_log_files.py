"""Every process of ours writes JSON lines only, and the files that limit logs are ones that their programs take."""

import json
import shutil
import signal
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from dispatch.states import JobState
from tests import make
from tests.background.worker_process import ROOT, environment, eventually
from tests.partner_api.webhooks import subscription_inside
from tests.servers.certificates import Authority
from tests.servers.ports import free_port
from tests.upgrade.side_by_side import PROCESSES

DEPLOY = ROOT / "deploy"
# what a thread and the main thread of a service may meet
BROKEN = """
import threading, django
django.setup()
from monitoring.uncaught_errors import log_uncaught_errors
log_uncaught_errors()
def fail(): raise ValueError("Key (name)=(Margaret Oduya) already exists")
thread = threading.Thread(target=fail)
thread.start(); thread.join()
fail()
"""


def link_files(authority: Authority) -> dict[str, str]:
    ours = authority.issue("partner")
    certificates = dict.fromkeys(("SELLER_CLIENT_CERT", "SELLER_SERVER_CERT"), ours.certificate)
    keys = dict.fromkeys(("SELLER_CLIENT_KEY", "SELLER_SERVER_KEY"), ours.key)
    return {"SELLER_CA": authority.ca, **certificates, **keys}


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(PROCESSES))
def test_process_writes_json_only(tmp_path: Path, authority: Authority, command: str) -> None:
    log = tmp_path / "process.log"
    port = ["--port", str(free_port())] if command in {"web", "board_stream", "seller_server"} else []
    if command == "webhooks":
        # which writes a line for each delivery only
        subscription_inside()
        make.job(at_state=JobState.ASSIGNED)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", command, *port],
            cwd=ROOT,
            env=environment(tmp_path, DEPLOYMENT="demo", **link_files(authority)),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        assert eventually(lambda: log.stat().st_size > 0)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=120)
    finally:
        process.kill()
        process.wait()

    lines = lines_of(log)
    assert lines
    assert [line for line in lines if not {"event", "level", "timestamp"} <= line.keys()] == []


def test_error_that_nobody_catches_is_a_line_without_its_words(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BROKEN],
        cwd=ROOT,
        env={**environment_without_database(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    written = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["event"], line["error"]) for line in written] == [("uncaught error", "ValueError")] * 2
    assert all("fail" in line["trace"][-1] for line in written)
    assert "Margaret" not in done.stderr


def environment_without_database(folder: Path) -> dict[str, str]:
    return environment(folder, DEPLOYMENT="test", DATABASE_URL=f"sqlite:///{folder / 'none.sqlite3'}")


@pytest.mark.skipif(not shutil.which("logrotate"), reason="logrotate is not installed")
def test_logrotate_takes_the_file(tmp_path: Path) -> None:
    log, rules = tmp_path / "fibre-people.log", tmp_path / "rules"
    log.write_text("x\n" * 10)
    text = (DEPLOY / "logrotate" / "fibre-dispatch-nginx").read_text()
    rules.write_text(text.replace("/var/log/nginx", str(tmp_path)).replace("nginx -s reopen", "true"))
    rules.chmod(0o600)

    command = ["logrotate", "--force", "--state", str(tmp_path / "state"), str(rules)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "fibre-people.log.1").read_text() == "x\n" * 10


def test_journal_is_limited_in_size_and_time() -> None:
    parser = ConfigParser()
    parser.optionxform = str  # type: ignore[assignment]
    parser.read(DEPLOY / "journald" / "fibre-dispatch.conf")

    journal = dict(parser["Journal"])
    assert (journal["SystemMaxUse"], journal["MaxRetentionSec"]) == ("2G", "30day")
