"""day.json, pulse.json and ont-check.json: what programs are told."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from closures import matrix
from closures.codes import codes_for
from dispatch.states import JobState, JobType
from engineers.models import Engineer
from engineers.phone.carry import matrix_json
from tests import make
from tests.doors.phone.phone import Phone

TODAY = timezone.localdate()


def test_day_carries_today_and_tomorrow(engineer: Engineer, phone: Phone) -> None:
    today = make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY)
    tomorrow = make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY + timedelta(days=1))
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY + timedelta(days=2))
    make.job(at_state=JobState.ASSIGNED, day=TODAY)

    assert [one["id"] for one in phone.json("/phone/day.json")["jobs"]] == [str(today), str(tomorrow)]


def test_job_carries_what_the_phone_needs(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, day=TODAY, flags=("MDU",))
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})
    carried = phone.json("/phone/day.json")["jobs"][0]

    assert (carried["type"], carried["state"], carried["flags"]) == ("installation", "on_site", ["MDU"])
    assert (carried["contact"]["name"], carried["hazards"]) == ("Pat Tester", "Dog in the garden")
    assert (carried["has_ont_scan"], carried["expected_ont"]["fsan"]) == (True, "CXNK00ABCDEF")
    assert (carried["answers"], carried["next_step"]) == ({"SAF01": "yes"}, "question")
    assert carried["window"]["start"] == job.window_start.isoformat()
    assert [one["code"] for one in carried["closures"]] == [one.code for one in codes_for("installation")]


def test_matrix_has_the_shape_of_its_file(engineer: Engineer, phone: Phone) -> None:
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY, job_type=JobType.REVISIT)
    said = phone.json("/phone/day.json")
    path = Path(settings.QUESTION_MATRIX)
    rows = json.loads(path.read_text())["questions"]
    again = matrix.read(json.dumps(matrix_json(matrix.load(str(path)))), name="day.json")

    assert list(said["matrices"]) == [said["jobs"][0]["matrix"]]
    assert [one["code"] for one in said["matrices"][again.edition]["questions"]] == [
        row["code"] for row in rows
    ]
    assert again == matrix.load(str(path))


def test_pulse_changes_with_news(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    quiet = [phone.json(f"/phone/jobs/{job}/pulse.json")["version"] for _ in range(2)]
    make.scan(job)
    make.result(job, 4)
    news = phone.json(f"/phone/jobs/{job}/pulse.json")

    assert (quiet[0] == quiet[1], news["version"] == quiet[0]) == (True, False)
    assert (news["scan"]["fsan"], news["result"]["result_id"]) == ("CXNK00ABCDEF", 4)


def test_pulse_of_a_job_taken_away_says_so(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.walk(job, at_state=JobState.ASSIGNED, to=make.engineer())

    assert phone.json(f"/phone/jobs/{job}/pulse.json")["state"] == "taken_off"


@pytest.mark.parametrize(
    ("fsan", "vendor", "codes", "differs"),
    [
        ("cxnk 00ab cdef", "Calix", [], False),
        ("ALCL12345678", "Nokia", [], True),
        ("43584E4B00ABCDEF", "Calix", [], False),
        ("CXNK00ABCDEO", "Calix", ["bad_fsan"], False),
        ("", "", ["bad_fsan"], False),
    ],
)
def test_label_is_checked_while_it_is_typed(
    phone: Phone, fsan: str, vendor: str, codes: list[str], differs: bool
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    said = phone.json(f"/phone/jobs/{job}/ont-check.json", fsan=fsan)

    assert (said["vendor"], said["differs_from_expected"]) == (vendor, differs)
    assert [one["code"] for one in said["problems"]] == codes


def test_label_on_another_of_our_jobs_is_named(engineer: Engineer, phone: Phone) -> None:
    other = make.job(at_state=JobState.ON_SITE)
    make.scan(other)
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    said = phone.json(f"/phone/jobs/{job}/ont-check.json", fsan="CXNK00ABCDEF")

    assert (said["duplicate_job"], said["duplicate_place"]) == (str(other), "LS6 3AB")
