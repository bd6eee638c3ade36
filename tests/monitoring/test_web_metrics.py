"""Requests are counted over all workers of a web server, and a killed worker takes no figure with it."""

import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from monitoring import web_metrics
from monitoring.metrics import render_metrics
from tests.background.worker_process import eventually
from tests.config.test_web import serving

REQUESTS = 30


def samples(text: str) -> dict[str, float]:
    """By name and the values of the labels in the order of their names."""
    return {
        " ".join([sample.name, *(value for _name, value in sorted(sample.labels.items()))]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def here() -> dict[str, float]:
    return samples(render_metrics(web_metrics.WebCollector()).decode())


def get(port: int, path: str) -> str:
    """On a connection of its own: the kernel chooses the worker."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        return str(answer.read().decode())


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_requests_of_all_workers_are_added_up_and_survive_a_killed_one(tmp_path: Path) -> None:
    with serving(tmp_path) as web:
        before = asked(web.port)
        for _ in range(REQUESTS):
            get(web.port, "/healthz")
        assert {asked(web.port) - before for _ in range(8)} == {REQUESTS}

        first, second = web.workers()
        os.kill(first, signal.SIGKILL)
        assert eventually(lambda: len(set(web.workers()) - {first, second}) == 1)
        assert eventually(web.answers)
        later = asked(web.port)
        assert later >= before + REQUESTS
        for _ in range(REQUESTS):
            get(web.port, "/healthz")
        assert {asked(web.port) - later for _ in range(8)} == {REQUESTS}


def asked(port: int) -> float:
    found = samples(get(port, "/metrics"))
    number = found.get("web_requests_total GET 200 healthz", 0)
    assert found.get("web_request_seconds_count healthz", 0) == number
    return number


@pytest.mark.django_db
def test_page_error_and_unknown_address_are_counted(client: Client) -> None:
    before = here()
    client.get("/login/")
    client.get("/login/")
    client.get("/no-such-page/12345678")
    client.generic("BREW", "/healthz")

    grown = {name: number - before.get(name, 0) for name, number in here().items()}
    assert grown["web_requests_total GET 200 login"] == 2
    assert grown["web_request_seconds_count login"] == 2
    assert grown["web_requests_total GET 404 unknown"] == 1
    assert grown["web_requests_total other 200 healthz"] == 1
    assert [name for name in grown if "12345678" in name or "BREW" in name] == []


def test_folder_of_a_server_that_is_gone_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    old = tmp_path / f"{web_metrics.FOLDER_PREFIX}{gone.pid}-abc"
    running = tmp_path / f"{web_metrics.FOLDER_PREFIX}{os.getppid()}-abc"
    for folder in (old, running):
        folder.mkdir()

    made = Path(web_metrics.make_folder())

    assert (old.exists(), running.exists(), made.is_dir()) == (False, True, True)
    assert made.stat().st_mode & 0o777 == 0o700
