"""What was on the Attention list before, a page at a time, on the page that every page of the office leads to."""

from datetime import timedelta

import pytest

from board.alarms.alarms_page import PAGE_SIZE, AlarmsPage
from engineers.models import CheckIn
from monitoring.models import Alarm, AlarmKind
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
PATH = "/board/alarms/"


def clear_alarms(number: int) -> None:
    """All at one moment, as a check clears what is over."""
    at = make.now() - timedelta(hours=1)
    Alarm.objects.bulk_create(
        Alarm(
            kind=AlarmKind.MESSAGE_HELD,
            subject=f"J-{index}",
            text="message_held",
            parameters={"address": "1 Mill Lane", "job": f"J-{index}", "reason": "400"},
            raised_at=at,
            changed_at=at,
            cleared_at=at,
        )
        for index in range(number)
    )


def history(query: str = "") -> AlarmsPage:
    page: AlarmsPage = signed_in().get(f"{PATH}{query}").context["page"]
    return page


def test_every_entry_of_the_history_is_on_one_page() -> None:
    clear_alarms(2 * PAGE_SIZE + 1)

    pages = [history(f"?page={number}") for number in (1, 2, 3)]

    assert [len(page.cleared) for page in pages] == [PAGE_SIZE, PAGE_SIZE, 1]
    assert [(page.newer, page.older) for page in pages] == [(0, 2), (1, 3), (2, 0)]
    assert {line.pk for page in pages for line in page.cleared} == set(
        Alarm.objects.values_list("pk", flat=True)
    )


def test_check_ins_stand_between_the_alarms_by_their_end() -> None:
    clear_alarms(PAGE_SIZE)
    now, engineer = make.now(), make.engineer()
    for hours in (0, 2):
        CheckIn.objects.create(
            engineer=engineer,
            provider_job_id="J-1",
            started_at=now - timedelta(hours=4),
            due_at=now - timedelta(hours=3),
            ended_at=now - timedelta(hours=hours),
        )

    first, second = history(), history("?page=2")

    assert [line.is_check_in for line in first.cleared] == [True] + [False] * (PAGE_SIZE - 1)
    assert [line.is_check_in for line in second.cleared] == [False, True]


@pytest.mark.parametrize("query", ["?page=0", "?page=x", "?page=-1", "?page=", ""])
def test_page_that_is_none_is_the_first(query: str) -> None:
    clear_alarms(1)

    assert len(history(query).cleared) == 1


def test_page_beyond_the_last_is_empty_and_leads_back() -> None:
    clear_alarms(1)

    page = history("?page=99999")

    assert (page.cleared, page.older, page.newer) == ([], 0, 99)


def test_links_lead_from_page_to_page() -> None:
    clear_alarms(PAGE_SIZE + 1)

    first, second = (signed_in().get(f"{PATH}?page={number}").content.decode() for number in (1, 2))

    assert 'rel="next" href="?page=2#cleared-title"' in first
    assert 'rel="prev"' not in first
    assert 'rel="prev" href="?page=1#cleared-title"' in second


@pytest.mark.parametrize("path", ["/board/", "/board/people/", "/board/messages/", "/board/reports/"])
def test_every_page_leads_to_the_whole_list(path: str) -> None:
    page = signed_in().get(path).content.decode()

    assert f'<a href="{PATH}">' in page
