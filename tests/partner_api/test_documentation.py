"""docs/partner-api.md: every example is run, and its answer has the form that the page shows."""

import json
import os
import re
import subprocess
from typing import Any

import pytest
import time_machine
from pytest_django.live_server_helper import LiveServer

from dispatch import visits
from dispatch.models import Job
from engineers.models import Area, Engineer
from monitoring.signed_post import signed_headers
from partner_api import webhook_events
from partner_api.models import Scope, WebhookEvent, WebhookKind
from tests import make
from tests.conventions.sources import ROOT
from tests.partner_api.caller import Caller
from tests.partner_api.webhooks import subscription
from tools import partner_schema

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = (ROOT / "docs" / "partner-api.md").read_text()
REQUESTS = re.findall(r"```http\nGET (\S+)\n```\n\n```json\n(.*?)\n```", PAGE, re.S)
COMMANDS = re.findall(r"```sh\n(.*?)\n```", PAGE, re.S)
EXAMPLE_JOB = "J-7K3M-Q2XW"


@pytest.fixture
def job() -> Job:
    """Closed at the first visit, in an area, after a subscription."""
    area = Area.objects.create(name="Leeds North", postcodes="LS6 LS16")
    with time_machine.travel(make.at("07:00"), tick=False):
        subscription()
        erin = make.engineer(skills=("mdu",))
        Engineer.objects.filter(pk=erin.pk).update(area=area)
        made = make.job()
        visits.assign(job=made, engineer=erin, starts_at=make.at("08:30"), by=make.office())
    with time_machine.travel(make.at("08:10"), tick=False):
        make.start_travel(made)
    with time_machine.travel(make.at("08:25"), tick=False):
        make.arrive(made)
        made.refresh_from_db()
        make.scan(made)
        make.result(made, 1)
        make.answer_all(made)
    with time_machine.travel(make.at("09:40"), tick=False):
        make.close(made)
        make.job()
    webhook_events.collect_job_events()
    return made


def form_of(value: Any) -> Any:
    """Members and types; a list has the form of its first element."""
    match value:
        case dict():
            return {name: form_of(member) for name, member in value.items()}
        case list():
            return [form_of(value[0])] if value else []
        case _:
            return type(value).__name__


def answer_to(path: str, job: Job) -> Any:
    with time_machine.travel(make.at("10:00"), tick=False):
        answer = Caller().get(path.replace(EXAMPLE_JOB, str(job)))
    return json.loads(answer.content)


@pytest.mark.parametrize(("path", "example"), REQUESTS, ids=[path for path, _example in REQUESTS])
def test_request_is_answered_as_shown(job: Job, path: str, example: str) -> None:
    assert form_of(answer_to(path, job)) == form_of(json.loads(example))


def test_webhook_has_the_body_that_is_shown(job: Job) -> None:
    found = re.search(r"```json webhook\n(.*?)\n```", PAGE, re.S)
    body = WebhookEvent.objects.get(kind=WebhookKind.JOB_CLOSED).body

    assert found
    assert form_of(json.loads(found[1])) == form_of(body)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_works(live_server: LiveServer, job: Job, command: str) -> None:
    done = subprocess.run(
        ["sh", "-c", command.replace("https://dispatch.example.org", live_server.url)],
        env={**os.environ, "TOKEN": Caller().secret},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0])


def test_signature_is_checked_as_shown() -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.S)
    assert found
    names: dict[str, Any] = {}
    exec(found[1], names)
    is_ours, body = names["is_ours"], b'{"id":"1"}'
    with time_machine.travel(make.at("10:00"), tick=False):
        stamp = str(int(make.now().timestamp()))
        signature = signed_headers(secret="fds_s", stamp=stamp, delivery_id="1", body=body)["X-Signature"]
        assert is_ours("fds_s", signature, body)
        assert not is_ours("fds_t", signature, body)
        assert not is_ours("fds_s", signature, body + b" ")
        assert not is_ours("fds_s", "nonsense", body)
    with time_machine.travel(make.at("10:06"), tick=False):
        assert not is_ours("fds_s", signature, body)


def test_everything_is_on_the_page() -> None:
    described = json.loads(partner_schema.PAGE.read_text())["paths"]
    addresses = [path.replace("{kind}.{file_format}", "KIND.FORMAT").partition("/{")[0] for path in described]

    assert [path for path in addresses if path not in PAGE] == []
    assert [name for name in (*Scope.values, *WebhookKind.values) if f"`{name}`" not in PAGE] == []


def test_there_are_examples() -> None:
    assert (len(REQUESTS), len(COMMANDS)) == (6, 2)
