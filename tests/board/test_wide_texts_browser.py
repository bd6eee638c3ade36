"""What is long or narrow at 1440: German words, two weeks of capacity, the smallest cards, tabs over pages."""

import pytest
import time_machine
from playwright.sync_api import Locator, expect

from dispatch import visits
from dispatch.states import JobType
from engineers.models import Area, Engineer
from tests import make
from tests.board.test_browser import open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def is_cut(text: Locator) -> bool:
    return bool(text.evaluate("text => text.scrollWidth > text.clientWidth"))


def speak_german(window: Window) -> None:
    page = window.page
    page.goto("/board/messages/")
    page.locator(".user-menu summary").click()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")


def test_german_header_is_one_line_and_names_are_whole_words(window: Window) -> None:
    engineer, job, page = make.engineer(), make.job(flags=("SUR", "MDU")), window.page
    visits.assign(job=job, engineer=engineer, starts_at=make.at("08:00"), by=make.office())
    speak_german(window)
    open_board(page)

    # the bar grows by a second line
    bar = page.locator("header.bar").bounding_box()
    assert bar and bar["height"] <= 44
    page.goto(f"/board/jobs/{job.provider_job_id}/")
    for name in page.locator(".facts dt, .event-times dt").all():
        assert not is_cut(name), name.inner_text()
    long = page.locator(".facts dt", has_text="Reservierungsschlüssel").bounding_box()
    short = page.locator(".facts dt", has_text="Empfangen").bounding_box()
    assert long and short and long["height"] == short["height"]


def test_german_head_of_waiting_jobs_breaks_in_no_window(window: Window) -> None:
    """With the risk that all of its jobs have, it is as long as it gets."""
    for _ in range(2):
        make.job(window=("14:00", "19:00"), flags=("SUR",))
    speak_german(window)
    open_board(window.page)

    head = window.page.locator("#waiting h3")
    expect(head).to_contain_text("Nachmittag 14:00–19:00 2 ")
    lines = "time => { const all = new Range(); all.selectNodeContents(time); return all.getClientRects().length; }"
    assert head.locator("time").evaluate(lines) == 1
    assert not is_cut(head)


def test_narrow_card_keeps_its_postcode_when_it_is_selected(window: Window) -> None:
    page = window.page
    for number, minutes in enumerate((30, 45, 60, 90)):
        job = make.job(duration_minutes=minutes, flags=("SUR",) if number % 2 else ())
        person = make.engineer(name=f"Engineer {number}")
        visits.assign(job=job, engineer=person, starts_at=make.at("08:00"), by=make.office())
    open_board(page)
    expect(page.locator("#selection[data-started]")).to_be_attached()

    for card in page.locator("#lanes .card").all():
        card.locator("a").press("s")

    expect(page.locator("#lanes .card.is-selected")).to_have_count(4)
    for card in page.locator("#lanes .card").all():
        inner = card.locator(".postcode").bounding_box()
        outer = card.bounding_box()
        assert inner and outer and inner["x"] + inner["width"] <= outer["x"] + outer["width"] - 1


@pytest.mark.parametrize("is_german", [False, True])
def test_two_weeks_of_capacity_fit(window: Window, is_german: bool) -> None:
    for number in range(40):
        make.engineer(name=f"Engineer {number}", starts="06:00", ends="22:00")
    page = window.page
    if is_german:
        speak_german(window)

    page.goto("/board/plans/capacity/")

    assert not is_cut(page.locator(".capacity-scroll"))


def test_german_card_of_a_waiting_job_names_its_kind(window: Window) -> None:
    """Next to a risk and a window of its own, and before flags that have no space."""
    make.engineer()
    long = make.job(window=("08:00", "08:30"), flags=("SUR", "MDU"), job_type=JobType.EXTERNAL)
    make.job(window=("09:00", "13:00"))
    speak_german(window)
    with time_machine.travel(make.at("08:25")):
        window.page.goto(f"/board/?day={make.DAY}")
        kind = window.page.locator(f"#card-{long.provider_job_id} .card-kind")
        expect(kind).to_have_text("Verspätet · 08:00–08:30 · Außenarbeit")
        assert not is_cut(kind)


@pytest.mark.parametrize("is_german", [False, True])
def test_choices_of_how_much_may_change_are_whole(window: Window, is_german: bool) -> None:
    page = window.page
    if is_german:
        speak_german(window)

    page.goto("/board/plans/")

    choices = page.locator("#id_weight")
    width = choices.evaluate("list => list.offsetWidth")
    assert choices.evaluate("list => { list.style.width = 'max-content'; return list.offsetWidth; }") <= width


def test_area_next_to_the_map_has_a_head_of_one_line(window: Window) -> None:
    area = Area.objects.create(name="Leeds North", postcodes="LS6")
    engineer = make.engineer()
    Engineer.objects.filter(pk=engineer.pk).update(area=area)
    job = make.job(window=("08:00", "08:30"))
    visits.assign(job=job, engineer=engineer, starts_at=make.at("08:00"), by=make.office())
    speak_german(window)
    with time_machine.travel(make.at("08:25")):
        window.page.goto(f"/board/?day={make.DAY}&layout=map")
        expect(window.page.locator("#area-1 .count-link")).to_be_visible()
        title = window.page.locator("#area-1 .area-title")
        box = title.bounding_box()

        assert box and box["height"] <= 20
        assert not is_cut(title)


def test_tabs_of_messages_stay_where_they_are(window: Window) -> None:
    page, positions = window.page, set()
    for path in ("", "stuck/"):
        page.goto(f"/board/messages/{path}")
        box = page.get_by_role("link", name="Message log").bounding_box()
        assert box
        positions.add(box["x"])

    assert len(positions) == 1
