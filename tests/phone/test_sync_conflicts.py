"""What the office changed since meets a phone's entries by named rules, with texts on both sides; nothing is lost."""

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import translation

from board.jobs.job_presenter import build_job_page
from closures.models import Photo
from dispatch import jobs, visits
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from dispatch.sync_conflicts import RULES, RuleName, SyncConflict, conflict_for
from engineers.models import Engineer, PhoneMessage
from engineers.moment_texts import format_day, format_moment, format_time
from engineers.shifts import local_time
from tests import make
from tests.phone.phone import POSITION, Phone, entry
from tools.phone_rules import PAGE, rules_page


@pytest.fixture
def phone(db: None) -> Phone:
    return Phone(make.engineer(name="Erin First"))


def with_phone(phone: Phone, state: JobState = JobState.ASSIGNED) -> Job:
    return make.job(at_state=state, to=phone.engineer, day=make.today())


def colleague(name: str = "Sam Second") -> Engineer:
    return make.engineer(name=name)


def cancelled(job: Job) -> None:
    jobs.cancel_job(job=job, reason="Customer changed their mind")


def reassigned(job: Job) -> None:
    visits.assign(job=job, engineer=colleague(), starts_at=job.window_start, by=make.office())


def taken_off(job: Job) -> None:
    visits.unassign(job=job, by=make.office())


def history(job: Job) -> str:
    job.refresh_from_db()
    entries = build_job_page(job, now=make.now()).history
    return "\n".join(f"{entry.event.title}: {entry.event.sentence}" for entry in entries)


CASES: list[tuple[RuleName, Callable[[Job], object], str, str]] = [
    (
        RuleName.CANCELLED,
        cancelled,
        "The seller cancelled this job at",
        "The seller had cancelled the job at",
    ),
    (
        RuleName.REASSIGNED,
        reassigned,
        "This job was reassigned to Sam Second at",
        "The job was reassigned to Sam Second",
    ),
    (RuleName.UNASSIGNED, taken_off, "The office unassigned this job", "The job was unassigned"),
    (
        RuleName.CLOSED_BY_OFFICE,
        make.close_without_visit,
        "The office closed this job at",
        "The office (Dana Dispatch) had closed the job",
    ),
]


@pytest.mark.parametrize(("rule", "change", "on_phone", "on_board"), CASES)
def test_step_meets_the_change_by_its_rule(
    phone: Phone, rule: RuleName, change: Callable[[Job], object], on_phone: str, on_board: str
) -> None:
    job = with_phone(phone)
    message = entry("en_route", job, {"position": POSITION})
    change(job)
    results = [phone.send(message)[0] for _ in range(2)]

    # a repetition gets the same answer, since the first one may not have arrived
    assert [result["outcome"] for result in results] == ["late", "late"]
    (problem,) = results[1]["problems"]
    assert (problem["code"], problem["blocks"]) == (rule, False)
    assert problem["message"].startswith(on_phone)
    events = history(job)
    assert "“En route” arrived after the job was already" in events
    assert on_board in events
    assert PhoneMessage.objects.get().body == message


def test_outcome_of_the_office_is_in_the_readers_language(phone: Phone) -> None:
    job = with_phone(phone)
    make.close_without_visit(job, "NTR")
    conflict = conflict_for(job=Job.objects.get(pk=job.pk), engineer=phone.engineer)

    assert "(No Truck Roll)" in conflict.phone_text
    with translation.override("de"):
        assert "(Keine Anfahrt)" in conflict.phone_text


def test_closing_after_a_closing_is_kept_with_its_code(phone: Phone) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    make.answer_all(job, code="HAZ")
    phone.say("close", job, {"code": "HAZ", "remarks": "Loose roof tiles"})
    result = phone.say("close", job, {"code": "RNA"})

    assert (result["outcome"], result["problems"][0]["code"]) == ("late", RuleName.CLOSED_BEFORE)
    assert result["problems"][0]["message"].startswith("Erin First closed this job at")
    assert "“Closure” arrived after the job was already “Closed”: RNA" in history(job)


def test_every_rule_of_the_day_is_tried() -> None:
    tried = {rule for rule, *_rest in CASES}

    elsewhere = {
        *(RuleName.CLOSED_BEFORE, RuleName.JOINED, RuleName.SECOND_ENGINEER),
        *(RuleName.SUPERSEDED, RuleName.NEW_TIME, RuleName.UNFINISHED),
    }
    assert tried | elsewhere == set(RULES)


def test_answers_scans_and_closings_are_shown_with_their_text(phone: Phone) -> None:
    job = with_phone(phone)
    cancelled(job)
    scan = {"scan_id": str(uuid.uuid4()), "fsan": "CXNK00ABCDEF", "serial_number": "261200123456"}
    phone.send(
        entry("answered", job, {"question": "SAF01", "value": "yes"}),
        entry("ont_scanned", job, scan),
        entry("close", job, {"code": "RNA"}),
    )
    events = history(job)

    assert "“Answer” arrived after the job was already “Cancelled”: " in events
    assert "Yes The seller had cancelled the job" in events
    assert "FSAN CXNK00ABCDEF, serial number 261200123456" in events
    assert "“Closure” arrived after the job was already “Cancelled”: RNA" in events


@pytest.mark.parametrize("change", [cancelled, reassigned, taken_off, make.close_without_visit])
def test_photo_is_never_too_late(phone: Phone, change: Callable[[Job], object]) -> None:
    job = with_phone(phone)
    change(job)
    photo_id = str(uuid.uuid4())
    body = {"photo_id": photo_id, "question": "PHO01", "taken_at": make.now().isoformat()}

    assert phone.say("photo_taken", job, body)["outcome"] == "applied"
    assert phone.put(photo_id, make.jpeg()).status_code == 200
    assert Photo.objects.stored().get().by == phone.engineer


# --- handed over ------------------------------------------------------------------------------------------
def test_colleague_s_phone_gets_everything_so_far(phone: Phone) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    phone.say("answered", job, {"question": "LGT02", "value": "-21.5"})
    make.scan(job)
    photo_id = str(uuid.uuid4())
    body = {"photo_id": photo_id, "question": "PHO01", "taken_at": make.now().isoformat()}
    phone.say("photo_taken", job, body)
    reassigned(job)
    second = Phone(job.visits.active().get().engineer)
    (carried,) = second.json("/phone/day.json")["jobs"]

    assert (carried["state"], carried["answers"]) == ("assigned", {"LGT02": -21.5})
    assert carried["answered_by"] == {"LGT02": "Erin First"}
    assert carried["scan"]["fsan"] == "CXNK00ABCDEF"
    assert (carried["photos"][photo_id]["by"], carried["photos"][photo_id]["stored"]) == ("Erin First", False)
    assert [(notice["rule"], notice["words"]) for notice in carried["notices"]] == [
        (
            "handed_over",
            "Erin First had this job before you. It already has answers: 1, ONT scans: 1, photos: 0. "
            "Photos not yet uploaded from the other phone: 1.",
        )
    ]


# --- the phone's notices ----------------------------------------------------------------------------------
def test_day_announces_a_new_time_until_the_job_is_over(phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=make.today())
    visits.assign(
        job=job, engineer=phone.engineer, starts_at=make.at("10:30", day=make.today()), by=make.office()
    )
    (carried,) = phone.json("/phone/day.json")["jobs"]

    assert [(notice["rule"], "08:00 → 10:30" in notice["words"]) for notice in carried["notices"]] == [
        ("new_time", True)
    ]


def test_new_time_on_another_day_is_named_in_the_language_of_the_reader() -> None:
    before, after = make.at("08:00"), make.at("09:00", day=make.DAY + timedelta(days=1))
    moved = SyncConflict(RuleName.NEW_TIME, start_before=before.isoformat(), start_after=after.isoformat())

    texts = set()
    for language in ("en-gb", "de"):
        with translation.override(language):
            assert f"{format_moment(before)} → {format_moment(after)}" in moved.phone_text
            texts.add(format_moment(before))

    assert len(texts) == 2


def test_reason_of_a_cancellation_is_in_the_readers_language(phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=make.today())
    jobs.cancel_job(job=job, reason_code="MISSED", reason="Nobody in")
    conflict = conflict_for(job=Job.objects.get(), engineer=phone.engineer)

    assert "(Appointment missed: Nobody in)" in conflict.phone_text
    with translation.override("de"):
        assert "Appointment missed" not in conflict.phone_text
        assert ": Nobody in)" in conflict.phone_text


def test_what_happened_on_another_day_is_named_with_it() -> None:
    yesterday = make.now() - timedelta(days=1)

    day, conflict = local_time(yesterday).date(), SyncConflict(RuleName.CANCELLED, yesterday.isoformat())
    assert f"on {format_day(day)} at {format_time(yesterday)}." in conflict.phone_text
    with translation.override("de"):
        german = f"am {format_day(day)} um {format_time(yesterday)} storniert"
        assert german in conflict.phone_text
        assert german in conflict.board_text


def test_who_set_off_before_the_move_was_known_is_under_way(phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=make.today())
    set_off = make.now() - timedelta(minutes=30)
    visits.assign(
        job=job, engineer=phone.engineer, starts_at=make.at("10:30", day=make.today()), by=make.office()
    )
    result = phone.say("en_route", job, {"position": POSITION}, occurred_at=set_off.isoformat())

    assert (result["outcome"], [problem["code"] for problem in result["problems"]]) == (
        "applied",
        [RuleName.NEW_TIME],
    )
    assert "En route: Erin First The engineer had not yet received the new time, set at" in history(job)
    job.refresh_from_db()
    assert (job.state, job.events.filter(kind=EventKind.REPORTED_LATE).count()) == (JobState.EN_ROUTE, 0)


# --- moved beyond tomorrow --------------------------------------------------------------------------------
@pytest.fixture
def week_job(phone: Phone) -> Job:
    """Planned for today, in a window of many days."""
    job = with_phone(phone)
    job.window_end += timedelta(days=4)
    job.save(update_fields=["window_end"])
    return job


def move(job: Job, phone: Phone, *, days: int) -> None:
    starts_at = make.at("10:30", day=make.today() + timedelta(days=days))
    visits.assign(job=job, engineer=phone.engineer, starts_at=starts_at, by=make.office())


def test_job_that_is_under_way_stays_when_its_visit_is_moved(phone: Phone, week_job: Job) -> None:
    set_off = make.now() - timedelta(minutes=30)
    move(week_job, phone, days=3)
    for kind in ("en_route", "on_site"):
        phone.say(kind, week_job, {"position": POSITION}, occurred_at=set_off.isoformat())
    day = phone.json("/phone/day.json")

    assert [(job["state"], job["is_today"]) for job in day["jobs"]] == [("on_site", True)]
    assert day["gone"] == []


def test_job_that_is_moved_to_a_later_day_does_not_leave_without_notice(phone: Phone, week_job: Job) -> None:
    move(week_job, phone, days=3)
    move(week_job, phone, days=4)
    day = phone.json("/phone/day.json")

    assert (day["jobs"], [absent["id"] for absent in day["gone"]]) == ([], [str(week_job)])
    starts = [make.at("08:00", day=make.today()), make.at("10:30", day=make.today() + timedelta(days=4))]
    assert day["gone"][0]["rule"] == RuleName.NEW_TIME
    assert " → ".join(map(format_moment, starts)) in day["gone"][0]["words"]


def test_move_from_one_later_day_to_another_is_not_announced(phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=make.today() + timedelta(days=3))
    job.window_end += timedelta(days=4)
    job.save(update_fields=["window_end"])
    move(job, phone, days=4)

    assert phone.json("/phone/day.json")["gone"] == []


@pytest.mark.parametrize("accompanies", [False, True])
@pytest.mark.parametrize("days", [0, 3])
def test_who_got_the_job_after_a_move_reads_of_no_new_time(
    phone: Phone, week_job: Job, days: int, accompanies: bool
) -> None:
    move(week_job, phone, days=days)
    late = colleague()
    starts_at = week_job.visits.active().get().planned_start
    team = (phone.engineer, late) if accompanies else (late, None)
    visits.assign(
        job=week_job, engineer=team[0], second_engineer=team[1], starts_at=starts_at, by=make.office()
    )
    day, former = (Phone(who).json("/phone/day.json") for who in (late, phone.engineer))

    carried = [notice["rule"] for job in day["jobs"] for notice in job["notices"]]
    assert (carried, day["gone"], len(day["jobs"])) == ([], [], 0 if days else 1)
    if accompanies and days:
        assert [gone["rule"] for gone in former["gone"]] == [RuleName.NEW_TIME]


@pytest.mark.parametrize(("rule", "change", "text", "_board"), [CASES[0], CASES[3]])
def test_day_has_the_outcome_of_a_job(
    phone: Phone, rule: RuleName, change: Callable[[Job], object], text: str, _board: str
) -> None:
    change(with_phone(phone))
    (carried,) = phone.json("/phone/day.json")["jobs"]

    assert [(notice["rule"], notice["words"].startswith(text)) for notice in carried["notices"]] == [
        (rule, True)
    ]


@pytest.mark.parametrize(("rule", "change", "text", "_board"), CASES[1:3])
def test_day_lists_reassigned_jobs(
    phone: Phone, rule: RuleName, change: Callable[[Job], object], text: str, _board: str
) -> None:
    job = with_phone(phone)
    change(job)
    day = phone.json("/phone/day.json")

    assert (day["jobs"], [job_gone["id"] for job_gone in day["gone"]]) == ([], [str(job)])
    assert (day["gone"][0]["rule"], day["gone"][0]["words"].startswith(text)) == (rule, True)


def test_job_that_came_back_is_not_gone(phone: Phone) -> None:
    job = with_phone(phone)
    taken_off(job)
    make.walk(job, at_state=JobState.ASSIGNED, to=phone.engineer)

    assert phone.json("/phone/day.json")["gone"] == []


def test_table_in_the_handbook_is_current() -> None:
    assert PAGE.read_text() == rules_page(), "run: python -m tools.phone_rules"
