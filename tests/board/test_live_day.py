"""A day that is read again only for the engineers of changed jobs shows what the whole day would."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from board.day.live_day import WHOLE_AFTER, BoardView, read_live_day, update_live_day
from board.day.live_parts import render_parts
from board.day.timeline import Span
from board.day.view_options import Sort, Viewer, ViewOptions, viewer_of
from board.stream.board_watch import EventTail
from dispatch import holds, jobs, visits
from dispatch.models import Job, JobEvent
from dispatch.states import JobState, JobType
from engineers.models import Area, AreaLimit, Engineer, User
from monitoring import alarms
from monitoring.coded_texts import CodedText
from monitoring.models import AlarmKind
from tests import make
from tests.board.test_team_pages import team_job

pytestmark = pytest.mark.django_db
NOW = make.at("06:00")
LATER = NOW + timedelta(seconds=1)
VIEW = BoardView(make.DAY, "en-gb")


@dataclass(frozen=True)
class Office:
    """Anna has `early` and `late`, Bela accompanies her at `team`; Cora's `surveyed` waits for Dirk's `survey`."""

    anna: Engineer
    bela: Engineer
    cora: Engineer
    early: Job
    late: Job
    team: Job
    surveyed: Job
    survey: Job
    waiting: Job
    yara: User


@pytest.fixture
def office() -> Office:
    Area.objects.create(name="Leeds", postcodes="LS")
    york = Area.objects.create(name="York", postcodes="YO")
    anna, bela, cora, dirk = (
        make.engineer(name=f"{name} Fibre") for name in ("Anna", "Bela", "Cora", "Dirk")
    )
    Engineer.objects.filter(pk=bela.pk).update(area=york)
    yara = make.dispatcher(username="yara")
    AreaLimit.objects.create(user=yara, area=york)
    made = [make.job(duration_minutes=60, uprn=f"{number}") for number in (1, 2, 3)]
    for job, clock in zip(made[:2], ("08:00", "11:00"), strict=True):
        visits.assign(job=job, engineer=anna, starts_at=make.at(clock), by=make.office())
    Job.objects.filter(pk=made[1].pk).update(postcode="YO1 7HH", postcode_key="YO17HH")
    team = team_job(anna, bela, "09:00")
    surveyed = make.job(flags=("SUR",), duration_minutes=60, uprn="100")
    visits.assign(
        job=surveyed, engineer=cora, starts_at=make.at("10:00"), by=make.office(), override_reason="Agreed"
    )
    survey = make.job(duration_minutes=60, uprn="100", job_type=JobType.EXTERNAL)
    make.walk(survey, at_state=JobState.ON_SITE, to=dirk)
    make.answer_all(survey, code="EXTCOMP")
    return Office(anna, bela, cora, made[0], made[1], team, surveyed, survey, made[2], yara)


def _move(office: Office) -> None:
    visits.assign(job=office.early, engineer=office.anna, starts_at=make.at("12:00"), by=make.office())


def _reassign(office: Office) -> None:
    visits.assign(job=office.early, engineer=office.cora, starts_at=make.at("08:00"), by=make.office())


def _assign(office: Office) -> None:
    visits.assign(job=office.waiting, engineer=office.bela, starts_at=make.at("12:00"), by=make.office())


def _split(office: Office) -> None:
    visits.assign(
        job=office.team,
        engineer=office.cora,
        starts_at=make.at("11:00"),
        by=make.office(),
        second_engineer=office.bela,
        override_reason="Agreed",
    )


def _survey(office: Office) -> None:
    make.close(office.survey, code="EXTCOMP")


ACTIONS: list[Callable[[Office], object]] = [
    _move,
    _reassign,
    _assign,
    _split,
    _survey,
    lambda office: visits.unassign(job=office.late, by=make.office()),
    lambda office: visits.unassign(job=office.team, by=make.office()),
    lambda office: make.start_travel(office.early, occurred_at=make.at("07:40")),
    lambda office: jobs.cancel_job(job=office.late, reason="Customer changed their mind"),
    lambda office: holds.hold_job(job=office.early, by=make.office(), reason="Cable cut"),
    lambda office: make.close_without_visit(office.waiting),
    lambda _office: make.job(at_state=JobState.UNASSIGNED),
]


def views_of(office: Office) -> list[BoardView]:
    options = ViewOptions(sort=Sort.LOAD, span=Span.MORNING)
    return [
        VIEW,
        replace(VIEW, language="de"),
        replace(VIEW, options=options),
        replace(VIEW, viewer=Viewer(can_move=False)),
        replace(VIEW, viewer=viewer_of(User.objects.get(pk=office.yara.pk))),
    ]


@pytest.mark.parametrize("number", range(len(ACTIONS)))
def test_rows_are_those_of_the_whole_day(office: Office, number: int) -> None:
    views, tail = views_of(office), EventTail()
    tail.read_new()
    known = {view: read_live_day(view.of_day, now=NOW) for view in views}

    ACTIONS[number](office)
    changed = tail.read_new()

    assert changed
    for view in views:
        updated = update_live_day(known[view], view.of_day, jobs=changed, now=LATER)
        whole = read_live_day(view.of_day, now=LATER)
        assert render_parts(view, updated) == render_parts(view, whole)


def test_others_are_not_read_again(office: Office) -> None:
    known = read_live_day(VIEW, now=NOW)

    _move(office)
    updated = update_live_day(known, VIEW, jobs=[office.early], now=LATER)

    assert updated.whole_at == NOW
    assert updated.lanes[office.cora.pk] is known.lanes[office.cora.pk]
    assert updated.lanes[office.anna.pk] != known.lanes[office.anna.pk]
    # with whom Anna goes to a job
    assert updated.lanes[office.bela.pk] is not known.lanes[office.bela.pk]


def test_large_day_is_read_whole_less_often(office: Office) -> None:
    known = update_live_day(read_live_day(VIEW, now=NOW), VIEW, jobs=[office.early], now=LATER)
    small, large = (replace(known, reading_time=timedelta(seconds=seconds)) for seconds in (0.1, 2))

    assert [day.is_due(NOW + WHOLE_AFTER) for day in (small, large)] == [True, False]
    assert [large.is_due(NOW + timedelta(seconds=seconds)) for seconds in (39, 40)] == [False, True]


def _later_shift(office: Office) -> None:
    office.anna.shifts.update(ends="22:00")


def _alarm(office: Office) -> None:
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, str(office.surveyed), CodedText("message_held", {}))


def _suspended(office: Office) -> None:
    visits.unassign(job=office.late, by=make.office())
    visits.unassign(job=office.team, by=make.office())
    User.objects.filter(pk=office.anna.user_id).update(is_active=False)
    visits.unassign(job=office.early, by=make.office())


@pytest.mark.parametrize("change", [_later_shift, _alarm, _suspended])
def test_day_is_read_whole_where_more_than_rows_has_changed(
    office: Office, change: Callable[[Office], None]
) -> None:
    known = read_live_day(VIEW, now=NOW)

    change(office)
    updated = update_live_day(known, VIEW, jobs=[office.early], now=LATER)

    assert updated.whole_at == LATER
    assert render_parts(VIEW, updated) == render_parts(VIEW, read_live_day(VIEW, now=LATER))


def test_day_is_due_a_while_after_a_part_of_it_was_read(office: Office) -> None:
    whole = replace(read_live_day(VIEW, now=NOW), reading_time=timedelta(seconds=0.1))
    updated = update_live_day(whole, VIEW, jobs=[office.early], now=LATER)

    assert not whole.is_due(NOW + WHOLE_AFTER)
    assert not updated.is_due(LATER)
    assert updated.is_due(NOW + WHOLE_AFTER)


def test_event_is_seen_once_also_behind_a_later_one() -> None:
    tail, first, second = EventTail(), make.job(), make.job()
    assert tail.read_new() == []
    overtaken = JobEvent.objects.get(job=first)
    overtaken.delete()
    third = make.job()
    assert tail.read_new() == [third]

    overtaken.save(force_insert=True)

    assert (tail.read_new(), tail.read_new()) == ([first], [])
    assert second.events.count() == 1
