"""Who may read the interface, and what a refusal says."""

import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from engineers.models import Area, AuditEntry, Role
from partner_api import access_tokens
from partner_api.models import AccessToken
from tests import make
from tests.partner_api.caller import Caller

pytestmark = pytest.mark.django_db


def problem(answer: Any) -> dict[str, Any]:
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = dict(json.loads(answer.content))
    assert body["status"] == answer.status_code
    return body


def test_without_a_token_nobody_reads_anything() -> None:
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    answer = client.get("/api/v1/jobs")

    assert (answer.status_code, problem(answer)["code"]) == (401, "token_missing")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "A supervisor creates one" in problem(answer)["detail"]


@pytest.mark.parametrize("header", ["Bearer fdt_unknown", "Bearer \xff\xfe", "bearer x y z"])
def test_unknown_token_is_refused(header: str) -> None:
    answer = Client().get("/api/v1/jobs", headers={"Authorization": header})

    assert (answer.status_code, problem(answer)["code"]) == (401, "token_refused")


def test_revoked_and_expired_tokens_open_nothing() -> None:
    revoked, ended = Caller(), Caller()
    access_tokens.revoke(pk=revoked.token.pk, by=None)
    AccessToken.objects.filter(pk=ended.token.pk).update(expires_at=timezone.now())

    assert [caller.get("/api/v1/jobs").status_code for caller in (revoked, ended)] == [401, 401]
    assert not access_tokens.revoke(pk=revoked.token.pk, by=None)


@pytest.mark.parametrize(
    "path", ["jobs", "jobs/P-1", "engineers", "areas", "shifts?first=2026-11-23&last=2026-11-23"]
)
def test_scope_that_is_missing_is_named(path: str) -> None:
    answer = Caller("exports:read").get(f"/api/v1/{path}")

    assert (answer.status_code, problem(answer)["code"]) == (403, "scope_missing")
    assert "lacks the scope" in problem(answer)["detail"]


def test_too_many_requests_are_answered_429(settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 0.01
    caller = Caller()
    with time_machine.travel(make.at("08:00:30"), tick=False):
        answers = [caller.get("/api/v1/areas") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].headers["Retry-After"] == "30"
    assert "30 s" in problem(answers[3])["detail"]


@pytest.mark.parametrize("path", ["jobs/P-unknown", "nonsense", "jobs/P-1/photos"])
def test_what_is_not_there_says_what_to_check(path: str) -> None:
    answer = Caller().get(f"/api/v1/{path}")

    assert (answer.status_code, problem(answer)["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("query", "where", "remedy"),
    [
        ("stat=assigned", "stat", "The parameters are: cursor, page_size, state"),
        ("state=flying", "state", "flying"),
        ("day=23.11.2026", "day", "YYYY-MM-DD"),
        ("area=Atlantis", "area", "/api/v1/areas"),
        ("changed_since=2026-11-23T08:00:00", "changed_since", "UTC offset"),
        ("changed_since=yesterday", "changed_since", "YYYY"),
        ("cursor=x", "cursor", "Start without one"),
        ("cursor=%C3%A4", "cursor", "Start without one"),
        ("page_size=1000", "page_size", "200"),
    ],
)
def test_wrong_parameter_is_named_with_its_remedy(query: str, where: str, remedy: str) -> None:
    answer = Caller().get(f"/api/v1/jobs?{query}")

    body = problem(answer)
    assert (answer.status_code, body["code"]) == (400, "invalid_parameter")
    assert [found["where"].split(".")[0] for found in body["problems"]] == [where]
    assert remedy in body["problems"][0]["message"]


def test_only_reading_is_possible() -> None:
    caller = Caller()
    answer = caller.client.post("/api/v1/jobs", headers={"Authorization": f"Bearer {caller.secret}"})

    assert (answer.status_code, problem(answer)["code"]) == (405, "method_not_allowed")


def test_secret_is_stored_as_a_hash_and_audited() -> None:
    supervisor = make.dispatcher(role=Role.SUPERVISOR)
    issued = access_tokens.issue(name="Data store", scopes=["jobs:read"], by=supervisor)

    row = AccessToken.objects.values().get()
    assert issued.secret.startswith(row["start"])
    assert issued.secret not in str(row)
    access_tokens.revoke(pk=issued.token.pk, by=supervisor)
    assert set(AuditEntry.objects.filter(actor=supervisor).values_list("action", "subject")) == {
        ("access_token_issued", "Data store"),
        ("access_token_revoked", "Data store"),
    }


def test_what_a_token_read_is_audited() -> None:
    job, reader, other = make.job(), Caller(), Caller("jobs:read")
    with time_machine.travel(make.at("08:00"), tick=False):
        reader.read("/api/v1/jobs")
        reader.read(f"/api/v1/jobs/{job}")
        reader.read("/api/v1/areas")
        other.read("/api/v1/jobs")
        reader.get("/api/v1/exports/jobs.csv?first=2026-11-23&last=2026-11-24").getvalue()
    with time_machine.travel(make.at("09:00"), tick=False):
        reader.read("/api/v1/jobs")

    made = AuditEntry.objects.filter(action__endswith="_by_token").order_by("pk")
    looks = ("customers_read_by_token", "Data store", {"token": reader.token.pk})
    facts = {"token": reader.token.pk, "kind": "jobs", "days": ["2026-11-23", "2026-11-24"]}
    export = ("exported_by_token", "Data store", facts)
    assert list(made.values_list("action", "subject", "after")) == [looks, export, looks]


def test_engineers_and_their_hours_are_audited_once_an_hour_for_each_token() -> None:
    make.engineer()
    reader, other = Caller(), Caller("engineers:read")
    for hour in ("08:00", "08:59", "09:00"):
        with time_machine.travel(make.at(hour), tick=False):
            reader.read("/api/v1/engineers?page_size=1")
            reader.read("/api/v1/shifts?first=2026-11-23&last=2026-11-24")
    with time_machine.travel(make.at("08:30"), tick=False):
        other.read("/api/v1/engineers")
        other.read("/api/v1/areas")

    made = AuditEntry.objects.filter(action__endswith="s_read_by_token").order_by("pk")
    looks = [("engineers_read_by_token", reader.token.pk), ("shifts_read_by_token", reader.token.pk)]
    found = [(line.action, line.after["token"]) for line in made]
    assert found == [*looks, *looks, ("engineers_read_by_token", other.token.pk)]
    assert {(line.actor, line.subject) for line in made} == {(None, "Data store")}


def test_line_of_the_log_names_the_token_and_not_its_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="request")
    caller = Caller()
    caller.read("/api/v1/areas")
    Client().get("/api/v1/areas")

    lines = [record.msg for record in caplog.records if record.name == "request"]
    assert [line.get("token") for line in lines] == [caller.token.pk, None]
    assert caller.secret not in str(lines)


def test_last_use_is_kept_to_the_minute() -> None:
    caller = Caller()
    with time_machine.travel(make.at("08:00"), tick=False):
        caller.read("/api/v1/areas")
    with time_machine.travel(make.at("08:00:40"), tick=False):
        caller.read("/api/v1/areas")
    caller.token.refresh_from_db()

    assert caller.token.last_used_at == make.at("08:00")


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"name": " "}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["everything"]}, "scopes"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "expires_at"),
    ],
)
def test_token_that_makes_no_sense_is_not_issued(fields: dict[str, Any], where: str) -> None:
    with pytest.raises(access_tokens.TokenRefused) as refused:
        access_tokens.issue(**{"name": "Data store", "scopes": ["jobs:read"], "by": None, **fields})

    assert [found.where for found in refused.value.problems] == [where]
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("days", ["0", "-1", "3651", "999999999"])
def test_command_names_the_days_that_a_token_may_have(days: str) -> None:
    with pytest.raises(CommandError, match="--days: give 1 to 3650"):
        call_command("access_token", "create", "Billing", "--scope", "jobs:read", "--days", days)

    assert not AccessToken.objects.exists()


def test_command_creates_lists_and_revokes(capsys: pytest.CaptureFixture[str]) -> None:
    Area.objects.create(name="Leeds", postcodes="LS")
    call_command(
        "access_token", "create", "Billing", "--scope", "jobs:read", "--area", "Leeds", "--days", "30"
    )
    secret = capsys.readouterr().out.strip()
    token = AccessToken.objects.get()

    found = access_tokens.find(secret)
    assert found == token
    call_command("access_token", "list")
    assert f"{token.pk}\t{secret[:10]}…\tBilling\tjobs:read\tused " in capsys.readouterr().out
    call_command("access_token", "revoke", str(token.pk))
    assert access_tokens.find(secret) is None
    with pytest.raises(CommandError, match="no token has this number"):
        call_command("access_token", "revoke", "999")
    with pytest.raises(CommandError, match="no area is called Atlantis"):
        call_command("access_token", "create", "Billing", "--scope", "jobs:read", "--area", "Atlantis")
