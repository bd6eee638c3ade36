"""Starting the sandbox: its settings, its commands, and what it may not know of."""

import ast
import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from seller_sandbox.jobs.models import Job
from seller_sandbox.tests import make
from seller_sandbox.tests.processes import REPOSITORY, Caller

OURS = {"config", "engineers", "dispatch", "closures", "seller_link"}
SANDBOX = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SANDBOX_PARTNER_URLS", "http://127.0.0.1:8443/seller"),
        ("SANDBOX_PARTNER_URLS", "127.0.0.1"),
        ("SANDBOX_ALLOWED_ADDRESSES", "localhost"),
        ("SANDBOX_ALLOWED_SUBJECTS", ","),
        ("SANDBOX_TIME_ZONE", "Europe/Kirkwell"),
        ("SANDBOX_DEADLINE_SECONDS", "soon"),
        ("SANDBOX_ORDER_EXTENSION_NAMESPACE", "no namespace"),
        ("SANDBOX_SOAP_FAULT_STATUS", "200"),
        ("SANDBOX_BASE_PATH", "https://seller.example"),
        ("SANDBOX_DATABASE_URL", "mysql://root@db/sandbox"),
        ("SANDBOX_DATABASE_URL", "postgresql://postgres@127.0.0.1"),
        ("SANDBOX_APPOINTMENT_LEAD_DAYS", "-1"),
        ("SANDBOX_APPOINTMENT_HORIZON_DAYS", "0"),
        ("SANDBOX_RESERVATION_HOURS", "a day"),
        ("SANDBOX_SATURDAY_APPOINTMENTS", "maybe"),
        ("SANDBOX_SURVEY_WORKING_DAYS", "11"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_names_itself(name: str, value: str) -> None:
    command = [sys.executable, "-m", "seller_sandbox.manage", "check"]
    environment = {**os.environ, name: value}

    result = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )

    assert result.returncode == 1
    assert f"ImproperlyConfigured: {name}" in result.stderr


def test_an_endpoint_without_certificates_says_so(settings) -> None:
    settings.CERTIFICATE = Path("/nowhere/seller.pem")

    with pytest.raises(Exception, match="make certificates first"):
        call_command("serve_endpoint", "--name", "A", "--port", "1")


@pytest.mark.django_db
def test_migrations_are_complete() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.mark.django_db
def test_packs_are_sent_from_the_command_line() -> None:
    output = StringIO()

    call_command(
        "send_jobs", "--count", "2", "--day", "2026-11-23", "--type", "civils", "--seed", "1", stdout=output
    )

    assert output.getvalue().split() == list(
        Job.objects.order_by("id").values_list("seller_job_id", flat=True)
    )
    assert set(Job.objects.values_list("job_type", flat=True)) == {"civils"}


def test_the_message_log_is_printed_as_json_lines(caller: Caller) -> None:
    job = make.job()
    caller.post("notifyJob", make.assigned(job))
    output = StringIO()

    call_command("message_log", stdout=output)

    [line] = [json.loads(text) for text in output.getvalue().splitlines()]
    assert (line["operation"], line["event"], line["sellerJobId"]) == (
        "notifyJob",
        "engineerAssigned",
        job.seller_job_id,
    )


def test_logs_name_the_job_and_nobody(caller: Caller, folder: Path) -> None:
    job = make.job()
    caller.post("notifyJob", make.assigned(job))

    log = (folder / "endpoint.log").read_text()
    lines = [json.loads(text) for text in log.splitlines()]
    assert job.seller_job_id in {line.get("job") for line in lines}
    assert "Sam Field" not in log
    # with its space: five digits in a row are in a message id now and then
    assert "07700 " not in log


def test_the_sandbox_knows_nothing_of_our_application() -> None:
    for path in SANDBOX.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & OURS, path


def test_functions_and_files_stay_short() -> None:
    for path in SANDBOX.rglob("*.py"):
        text = path.read_text()
        assert "tests" in path.parts or len(text.splitlines()) <= 300, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno - node.lineno < 50, (path, node.name)


def test_command_looks_for_garbage_again_once_it_has_started() -> None:
    code = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 10_000)"

    done = subprocess.run(
        [sys.executable, "-m", "seller_sandbox.manage", "shell", "-v", "0", "-c", code],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == ["True True"]
