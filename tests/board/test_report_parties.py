"""Reports: whose fault a missed appointment was, and which jobs a first visit is counted of."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine

from closures.fault_parties import FaultParty
from closures.photos import evidence
from closures.photos.evidence import Capture
from dispatch import notes
from dispatch.models import Job
from dispatch.states import JobState, JobType
from tests import make
from tests.board.test_reports import FORM, tables, worked

pytestmark = pytest.mark.django_db


def noted(job: Job, party: FaultParty, *, at: str) -> None:
    with time_machine.travel(make.at(at)):
        notes.add_note(
            job=job,
            note_id=uuid4(),
            by=make.office(),
            text="Rang at the door, then by phone",
            caller="Mrs Hill",
            is_for_engineer=False,
            fault_party=party,
        )


def missed_row(job: Job) -> list[str]:
    with time_machine.travel(make.at("20:00")):
        return next(row for row in tables()["missed"].rows if row[0] == str(job))


def test_who_came_too_late_is_at_fault_whatever_was_found() -> None:
    job = worked(make.engineer(), "RNA/NA", at="14:10")

    assert missed_row(job)[4] == "Seller's side"


def test_what_keeps_everybody_away_excuses_a_late_arrival() -> None:
    job = worked(make.engineer(), "UNF", at="14:10")

    assert missed_row(job)[4] == "Beyond reasonable control (MBORC)"


def test_what_the_office_noted_after_a_call_counts_and_is_evidence() -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    noted(job, FaultParty.END_USER, at="09:00")

    row = missed_row(job)

    assert row[4] == "End user"
    assert row[5] == "Nobody on site, Call with Mrs Hill Mon 23 Nov 09:00, photos: 0"


def test_closing_in_time_overtakes_an_earlier_note_and_not_a_later_one() -> None:
    before, after = (worked(make.engineer(), "RNA/NA") for _ in range(2))
    noted(after, FaultParty.SELLER, at="11:00")
    with time_machine.travel(make.at("07:00")):
        early = make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    noted(early, FaultParty.SELLER, at="07:30")
    with time_machine.travel(make.at("08:10")):
        make.start_travel(early)
        make.arrive(early)
        make.answer_all(early, code="RNA/NA")
        make.close(early, "RNA/NA")

    assert [missed_row(job)[4] for job in (before, after, early)] == [
        "End user",
        "Seller's side",
        "End user",
    ]


def test_job_that_nobody_needed_to_go_to_any_more_is_neither_late_nor_missed() -> None:
    engineer = make.engineer()
    worked(engineer, "SP", at="09:30")
    with time_machine.travel(make.at("07:00")):
        job = make.job(at_state=JobState.ASSIGNED, to=make.engineer())
        make.close_without_visit(job)

    with time_machine.travel(make.at("20:00")):
        found = tables()

    assert found["figures"].rows[0][2] == "100 % (1/1)"
    assert "missed" not in found


@pytest.mark.parametrize("pack", [{"previous_provider_job_id": "P-1"}, {"job_type": JobType.REVISIT}])
def test_revisit_is_no_first_visit(pack: dict[str, str]) -> None:
    engineer = make.engineer()
    worked(engineer, "RNA/NA")
    revisit = worked(engineer, "SP", at="10:10")
    Job.objects.filter(pk=revisit.pk).update(**pack)

    with time_machine.travel(make.at("20:00") + timedelta(days=1)):
        row = tables()["figures"].rows[0]

    assert row[3] == "0 % (0/1)"


def test_failures_are_grouped_as_the_report_is() -> None:
    for name in ("Bea Okafor", "Ali Khan"):
        worked(make.engineer(name=name), "SP", failures=1)

    with time_machine.travel(make.at("20:00")):
        failures = tables(f"{FORM}&by=engineer")["failures"]

    assert [(row[0], row[-1]) for row in failures.rows] == [("Ali Khan", "1"), ("Bea Okafor", "1")]
    assert [link.text for link in failures.links] == ["Ali Khan", "Bea Okafor"]


def test_photo_that_was_taken_again_before_it_arrived_is_missing_in_no_evidence() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    stored = make.photo(job, question_code="PHO01")
    for sha256 in ("0" * 64, "1" * 64):
        capture = Capture(photo_id=uuid4(), question_code="PHO02", taken_at=make.now(), sha256=sha256)
        make.act(evidence.announce_photo, job=job, capture=capture, by=None)
        make.record_answer(job, "PHO02", [str(capture.photo_id)])
    make.record_answer(job, "PHO01", [str(stored.pk)])

    row = tables()["figures"].rows[0]

    # the second one has not arrived either, and an answer has it
    assert row[7] == "50 % (1/2)"
