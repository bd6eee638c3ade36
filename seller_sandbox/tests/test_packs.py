"""Packs: valid by the profile, the same for a seed, realistic in what they carry, and nobody's real data."""

import re
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.packs import make_pack, window_of
from seller_sandbox.jobs.schemas import problems
from seller_sandbox.tests import make

LONDON = ZoneInfo("Europe/London")
USUAL_MINUTES = {
    "installation": (90, 150),
    "revisit": (45, 75),
    "external": (75, 120),
    "civils": (90, 180),
}


def packs(number: int = 300, *, seed: int = 11, day: date = make.DAY) -> list[dict[str, Any]]:
    rng = Random(seed)
    return [make_pack(rng, day=day, zone=LONDON) for _ in range(number)]


def as_message(pack: dict[str, Any]) -> dict[str, Any]:
    envelope = {"messageId": str(uuid4()), "sentAt": datetime.now(UTC).isoformat(), "sellerJobId": "SJ-1"}
    return {**envelope, **pack}


def test_every_pack_is_valid() -> None:
    assert [problems("createJob", as_message(pack)) for pack in packs()] == [[]] * 300


@pytest.mark.parametrize(
    ("broken", "pointer", "code"),
    [
        ({"jobType": "repair"}, "/jobType", "invalidValue"),
        ({"orderReferences": {}}, "/orderReferences/buyerOrderReference", "missingProperty"),
        ({"property": {"uprn": "12a"}}, "/property/address", "missingProperty"),
        (
            {"appointment": {"start": "2026-11-23T08:00", "end": make.instant()}},
            "/appointment/start",
            "invalidFormat",
        ),
        ({"expectedDurationMinutes": 10}, "/expectedDurationMinutes", "invalidValue"),
        ({"siteContact": {"name": "x"}}, "/siteContact/phone", "missingProperty"),
        # a fault is behind a revisit only
        ({"jobType": "installation", "fault": {}}, "/jobType", "invalidValue"),
        ({"jobType": "revisit", "fault": "no light"}, "/fault", "invalidValue"),
        ({"jobType": "revisit", "fault": {"files": "a.jpg"}}, "/fault/files", "invalidValue"),
        ({"jobType": "revisit", "fault": {"triageFindings": [1]}}, "/fault/triageFindings/0", "invalidValue"),
        (
            {"jobType": "revisit", "fault": {"faultStartTime": "2026-11-23"}},
            "/fault/faultStartTime",
            "invalidFormat",
        ),
    ],
)
def test_the_schema_refuses_a_broken_pack(broken: dict[str, Any], pointer: str, code: str) -> None:
    found = problems("createJob", as_message({**packs(1)[0], **broken}))

    assert (pointer, code) in [(problem.pointer, problem.code) for problem in found]


@pytest.mark.parametrize("last_diagnostics", ["LOS", {"code": "CFH001"}])
def test_a_fault_may_lack_any_member(last_diagnostics: object) -> None:
    fault = {"lastDiagnostics": last_diagnostics}

    found = problems("createJob", as_message({**packs(1)[0], "jobType": "revisit", "fault": fault}))

    assert found == []


def test_only_a_revisit_tells_of_a_fault_and_it_began_before_the_visit() -> None:
    found = packs()

    assert {pack["jobType"] for pack in found if "fault" in pack} == {"revisit"}
    for pack in found:
        if pack["jobType"] == "revisit":
            assert datetime.fromisoformat(pack["fault"]["faultStartTime"]) < window_of(pack)[0]
            assert pack["fault"].get("access", "") == pack["site"].get("accessRestrictions", "")


def test_the_same_seed_makes_the_same_packs() -> None:
    assert packs(20) == packs(20)
    assert packs(20) != packs(20, seed=12)


def test_telephone_numbers_and_mail_belong_to_nobody() -> None:
    contacts = [pack["siteContact"] for pack in packs()]

    assert {contact["phone"][:9] for contact in contacts} == {"07700 900", "0113 496 "}
    assert all(re.fullmatch(r"07700 900\d{3}|0113 496 0\d{3}", contact["phone"]) for contact in contacts)
    assert {contact["email"].split("@")[1] for contact in contacts if "email" in contact} == {"example.com"}


def test_addresses_look_right_and_do_not_exist() -> None:
    all_premises = [pack["property"] for pack in packs()]

    assert all(
        re.fullmatch(r"LS3\d \d[A-Z]{2}", premises["address"]["postcode"]) for premises in all_premises
    )
    assert all(re.fullmatch(r"\d{12}", premises["uprn"]) for premises in all_premises)
    assert all(53.7 < premises.get("latitude", 53.8) < 53.9 for premises in all_premises)
    assert all(-1.7 < premises.get("longitude", -1.55) < -1.4 for premises in all_premises)


def share(values: list[bool]) -> float:
    return sum(values) / len(values)


def test_flags_and_gaps_come_as_often_as_in_the_field() -> None:
    found = packs(1500)
    flags = [pack["property"]["flags"] for pack in found]

    assert 0.15 < share(["CHP" in each for each in flags]) < 0.25
    assert 0.12 < share(["MDU" in each for each in flags]) < 0.22
    assert all(any(flag in each for each in flags) for flag in ("DAN", "DTL", "SUR", "WSD", "BP"))
    assert 0.04 < share(["latitude" not in pack["property"] for pack in found]) < 0.1
    assert share([pack["jobType"] == "installation" for pack in found]) > 0.6
    assert {pack["jobType"] for pack in found} == set(USUAL_MINUTES)
    assert 0.1 < share(["expectedDurationMinutes" not in pack for pack in found]) < 0.3
    assert any(pack["property"]["classification"] == "Business" for pack in found)


def test_durations_are_usual_for_the_type() -> None:
    for pack in packs():
        minutes = pack.get("expectedDurationMinutes")
        lowest, highest = USUAL_MINUTES[pack["jobType"]]
        assert minutes is None or (lowest <= minutes <= highest and minutes % 15 == 0)


def test_onts_are_expected_where_one_is_installed() -> None:
    for pack in packs():
        assert ("ont" in pack) == (pack["jobType"] in {"installation", "revisit"})
        assert re.fullmatch(r"(CXNK|ALCL)[0-9A-F]{8}", pack.get("ont", {"fsan": "CXNK00000000"})["fsan"])


@pytest.mark.parametrize(("day", "offset_hours"), [(date(2026, 7, 1), 1), (date(2026, 11, 23), 0)])
def test_windows_are_local_time_in_summer_and_winter(day: date, offset_hours: int) -> None:
    for pack in packs(20, day=day):
        start, end = window_of(pack)
        assert start.utcoffset() == timedelta(hours=offset_hours)
        assert (start.hour, end.hour) in {(8, 13), (13, 18)}
        assert start.date() == day


@pytest.mark.django_db
def test_a_revisit_refers_to_a_closed_job() -> None:
    first = make.job()
    Job.objects.update(state=JobState.CLOSED)

    [revisit] = send_batch(Batch(count=1, day=make.DAY, types=["revisit"]))

    assert revisit.pack["previousProviderJobId"] == first.provider_job_id
    assert revisit.pack["property"] == first.pack["property"]


@pytest.mark.django_db
def test_a_revisit_without_a_closed_job_is_to_new_premises() -> None:
    make.job()

    [revisit] = send_batch(Batch(count=1, day=make.DAY, types=["revisit"]))

    assert "previousProviderJobId" not in revisit.pack


@pytest.mark.django_db
def test_types_and_plans_are_taken_in_turn() -> None:
    made = send_batch(
        Batch(count=5, day=make.DAY, types=["civils", "external"], provisioning_plans=[[1], [4, 2], [3]])
    )

    assert [job.job_type for job in made] == ["civils", "external", "civils", "external", "civils"]
    assert [job.provisioning_plan for job in made] == [[1], [4, 2], [3], [1], [4, 2]]
