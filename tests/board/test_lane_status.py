"""The row head of an engineer is as worried as the worst of the row's cards, and says why."""

from datetime import timedelta

import pytest
from django.utils.html import strip_tags

from board.day.board_presenter import build_board
from board.day.lanes import Lane
from board.day.view_options import Sort, ViewOptions
from dispatch.models import DayForecast, Job
from dispatch.on_time_forecast.stored_forecast import OnTimeForecast
from dispatch.risk import Level
from dispatch.states import JobState
from engineers.models import Absence, Engineer
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
PATH = f"/board/?day={make.DAY.isoformat()}"
REASON = "LS6 3AB: 30 % chance to begin in the window 08:00–13:00."


def lanes(clock: str = "06:30", *, sort: str = Sort.NAME) -> list[Lane]:
    options = ViewOptions(sort=sort)
    return build_board(make.DAY, now=make.at(clock), today=make.DAY, options=options).lanes


def predict(chances: dict[Job, float]) -> None:
    """The simulated day, a moment before 06:30."""
    found = {}
    for job, chance in chances.items():
        visit = job.visits.get()
        start = round(visit.planned_start.timestamp())
        found[str(visit.pk)] = OnTimeForecast(chance, start, start).as_json()
    made_at = make.at("06:30") - timedelta(minutes=1)
    DayForecast.objects.create(day=make.DAY, made_at=made_at, misses=1, most_misses=1, by_visit=found)


def assigned(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=engineer)


@pytest.mark.parametrize(
    ("chance", "text", "level"), [(0.3, "Late", Level.LATE), (0.7, "At risk", Level.AT_RISK)]
)
def test_row_head_says_that_a_card_is_late_by_its_chance(chance: float, text: str, level: Level) -> None:
    predict({assigned(make.engineer()): chance})

    (lane,) = lanes()

    assert [card.risk.slug for card in lane.cards] == [level]
    assert (lane.status.text, lane.status.level) == (text, level)
    assert lane.status.reason == REASON.replace("30", f"{100 * chance:.0f}")


def test_row_head_takes_the_worst_card() -> None:
    """The one that is held is at risk only, whichever comes first."""
    engineer = make.engineer()
    held, late = (
        make.job(window=("13:00", "18:00"), at_state=JobState.ASSIGNED, to=engineer),
        assigned(engineer),
    )
    Job.objects.filter(pk=held.pk).update(on_hold_since=make.at("06:00"))
    predict({late: 0.3})

    (lane,) = lanes()

    assert {card.risk.slug for card in lane.cards} == {"late", "at-risk"}
    assert (lane.status.text, lane.status.reason) == ("Late", REASON)


@pytest.mark.parametrize("state", [JobState.ASSIGNED, JobState.EN_ROUTE])
def test_jobs_to_reassign_give_the_reason_not_the_worst_card(state: JobState) -> None:
    """Absent from noon on; the job of the morning stays and is late too. Who is on the way to the other one may still
    be in time."""
    engineer = make.engineer()
    stays = make.job(window=("08:00", "09:00"), at_state=JobState.ASSIGNED, to=engineer, duration_minutes=30)
    left = make.job(window=("13:00", "18:00"), at_state=state, to=engineer)
    Absence.objects.create(engineer=engineer, starts_at=make.at("12:00"), ends_at=make.at("23:00"))
    predict({stays: 0.3})

    (lane,) = lanes("06:30")

    assert lane.status.text == "Absent · 1 job to reassign"
    expected = f"{left.title}: Erin Engineer is absent{'' if state == JobState.ASSIGNED else '.'}"
    assert (lane.status.reason, lane.severity) == (expected, max(card.severity for card in lane.cards))


def test_page_prints_the_reason_in_the_row_head() -> None:
    make.job(at_state=JobState.ASSIGNED)
    Job.objects.update(on_hold_since=make.at("06:00"))

    page = signed_in().get(PATH).content.decode()

    assert 'class="lane-name is-at-risk"' in page
    assert "At risk · LS6 3AB: On hold since" in strip_tags(page)


def test_order_by_lateness_is_by_the_worst_card() -> None:
    """Late by its chance comes before some minutes late in a window that is in no danger."""
    ada, bea = (make.engineer(name=name) for name in ("Ada", "Bea"))
    assigned(ada)
    predict({assigned(bea): 0.3})
    Engineer.objects.filter(pk=ada.pk).update(home_latitude=54.9)

    first, second = lanes(sort=Sort.LATENESS)

    assert (first.name, first.status.text) == ("Bea", "Late")
    assert (second.name, second.status.level) == ("Ada", Level.AT_RISK)


def test_engineer_who_has_arrived_is_late_no_more() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    Job.objects.update(on_hold_since=make.at("06:00"))
    job.visits.update(arrived_at=make.at("09:00"))

    (lane,) = lanes("09:20")

    assert (lane.status.text, lane.cards[0].alert) == ("At risk", "On hold")
