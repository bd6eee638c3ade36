"""What a card says: a failure that was reported after the job was over, and a window over midnight."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone
from django.utils.html import strip_tags

from board.day.board_presenter import build_board
from board.event_descriptions import event_line
from board.jobs.job_panel import build_panel
from closures.models import Closure
from dispatch import jobs
from dispatch.models import Job, OntScan
from dispatch.states import JobState
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


def has_late_failure() -> list[bool]:
    board = build_board(make.DAY, now=make.at("18:00"), today=make.DAY)
    return [card.has_late_failure for lane in board.lanes for card in lane.cards]


def test_failure_after_closing_is_on_the_card_until_a_success_comes() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.close_without_visit(job, remarks="Line works already")
    assert has_late_failure() == [False]

    make.result(job, 6)

    assert has_late_failure() == [True]
    page = signed_in().get(f"/board/?day={make.DAY}").content.decode()
    assert '<b class="card-late is-loud">ONT failed</b>' in page
    make.result(job, 1)
    assert has_late_failure() == [False]


def test_failure_while_somebody_is_on_site_is_none_after_closing() -> None:
    make.result(make.job(at_state=JobState.ON_SITE), 6)

    assert has_late_failure() == [False]


def late_results(job: Job, *results: tuple[int, str, OntScan | None]) -> None:
    """Numbers of results that the seller dated at these times, about these scans, in the order of their arrival."""
    for number, clock, scan in results:
        answer = jobs.ProvisioningAnswer(number, number in {1, 2}, "", scan and scan.scan_id)
        jobs.record_provisioning(job=job, answer=answer, occurred_at=make.at(clock))


def end(job: Job) -> None:
    """Closed; what its outcome asks for is not tested here."""
    Closure.objects.create(job=job, code="SP", closed_at=make.now(), recorded_at=make.now(), by_name="E")
    make.act(jobs.close_job, job=job, by=make.office(), occurred_at=make.now(), facts={})


def is_alarmed(job: Job) -> bool:
    """The card and the panel always agree."""
    panel = build_panel(Job.objects.get(pk=job.pk), now=make.now())
    assert has_late_failure() == [panel.has_late_failure]
    return panel.has_late_failure


def test_late_result_counts_by_when_it_happened() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    with time_machine.travel(make.at("10:00")):
        scan = make.scan(job)
    with time_machine.travel(make.at("12:00")):
        late_results(job, (1, "10:05", scan))
        end(job)

        late_results(job, (3, "10:02", scan))
        assert not is_alarmed(job)
        late_results(job, (3, "11:00", scan), (1, "10:50", scan))
        assert is_alarmed(job)
        late_results(job, (1, "11:05", scan))
        assert not is_alarmed(job)


def test_late_failure_of_a_device_that_was_replaced_is_none() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    with time_machine.travel(make.at("10:00")):
        replaced = make.scan(job)
    with time_machine.travel(make.at("10:30")):
        scan = make.scan(job, fsan="ALCLF1234567")
    with time_machine.travel(make.at("12:00")):
        late_results(job, (1, "10:35", scan))
        end(job)

        late_results(job, (5, "10:40", replaced))
        assert not is_alarmed(job)
        late_results(job, (5, "10:41", None))
        assert is_alarmed(job)


@pytest.mark.parametrize("is_late", [False, True])
def test_history_says_which_result_changes_nothing(is_late: bool) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    with time_machine.travel(make.at("10:00")):
        replaced = make.scan(job)
    with time_machine.travel(make.at("10:30")):
        scan = make.scan(job, fsan="ALCLF1234567")
    with time_machine.travel(make.at("12:00")):
        if is_late:
            late_results(job, (1, "10:35", scan))
            end(job)

        assert "earlier scan, so it changes nothing" in newest_sentence(job, (5, "10:40", replaced))
        assert "changes nothing" not in newest_sentence(job, (1, "10:41", scan))
        older = newest_sentence(job, (3, "10:39", scan))
        assert "Superseded by result 1, which is newer." in older
        assert "changes nothing" not in older


def test_history_says_that_a_result_for_an_unknown_scan_changes_nothing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    answer = jobs.ProvisioningAnswer(6, success=False, details="", scan_id=uuid4())
    jobs.record_provisioning(job=job, answer=answer, occurred_at=make.now())

    sentence = event_line(job.events.latest("seq")).sentence
    assert sentence.endswith("(for an unknown scan). It changes nothing.")


def newest_sentence(job: Job, result: tuple[int, str, OntScan]) -> str:
    """The history's line of a result that has just arrived."""
    late_results(job, result)
    return event_line(job.events.latest("seq")).sentence


def test_late_failure_of_a_scan_that_was_never_sent_is_none() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    end(job)

    answer = jobs.ProvisioningAnswer(5, False, "", uuid4())
    jobs.record_provisioning(job=job, answer=answer, occurred_at=make.now())

    assert not is_alarmed(job)


def test_failure_before_the_job_was_begun_is_none_after_closing() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.result(job, 3)
    end(job)

    assert not is_alarmed(job)


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (2, "22:00–24:00"),
        (4, "22:00 – Tue 02:00"),
        (24 * 6, "Mon 22:00 – Sun 22:00"),
        (24 * 7, "Mon 23 Nov 22:00 – Mon 30 Nov 22:00"),
    ],
)
def test_window_over_midnight_is_short_in_the_list(hours: int, text: str) -> None:
    job = make.job()
    window_start = make.at("22:00")
    Job.objects.filter(pk=job.pk).update(
        window_start=window_start, window_end=window_start + timedelta(hours=hours)
    )

    board = build_board(make.DAY, now=make.at("06:30"), today=make.DAY)

    assert [card.window for card in board.unassigned] == [text]


def test_card_begins_with_the_street_and_says_since_when() -> None:
    make.job(at_state=JobState.ON_SITE)
    arrived_at = make.now()

    page = strip_tags(signed_in().get(f"/board/?day={make.DAY}").content.decode())

    assert f"12 Chapel Row · since {timezone.localtime(arrived_at):%H:%M}" in page


def test_word_says_the_risk_where_there_is_no_delay_to_name() -> None:
    job = make.job(at_state=JobState.ASSIGNED, flags=("SUR",))
    Job.objects.filter(pk=job.pk).update(received_at=make.at("06:00"))

    (lane,) = build_board(make.DAY, now=make.at("06:30"), today=make.DAY).lanes

    assert [(card.alert, card.risk.slug) for card in lane.cards] == [("At risk", "at-risk")]


def test_start_agreed_after_the_window_is_named_and_not_late() -> None:
    job = make.agreed_job()

    (lane,) = build_board(make.DAY, now=make.at("14:00"), today=make.DAY).lanes
    with time_machine.travel(make.at("14:00"), tick=False):
        page = strip_tags(signed_in().get(f"/board/?day={make.DAY}&job={job}").content.decode())

    assert [(card.alert, card.risk.slug, card.is_alert_calm) for card in lane.cards] == [
        ("Agreed", "none", True)
    ]
    assert "Agreed 15:00: instead of the window 08:00–13:00" in page


def test_risk_that_all_waiting_jobs_of_a_group_have_is_in_its_heading() -> None:
    make.job(window=("08:00", "10:00"))
    make.job(window=("11:00", "13:00"))

    def risks(clock: str) -> list[tuple[str | None, list[str]]]:
        board = build_board(make.DAY, now=make.at(clock), today=make.DAY)
        return [
            (group.risk and group.risk.label, [card.risk.label for card in group.cards])
            for group in board.unassigned_groups
        ]

    assert risks("11:30") == [("Late", ["Late", "Late"])]
    assert risks("08:30") == [(None, ["Late", "At risk"])]


def test_waiting_jobs_stand_under_their_half_day_or_the_window_they_share() -> None:
    for window in (
        ("16:00", "21:00"),
        ("08:00", "13:00"),
        ("16:00", "21:00"),
        ("13:00", "18:00"),
        ("10:00", "17:00"),
    ):
        make.job(window=window)

    groups = build_board(make.DAY, now=make.at("06:30"), today=make.DAY).unassigned_groups

    assert [(group.name, group.window, len(group.cards)) for group in groups] == [
        ("Morning", "08:00–13:00", 1),
        ("Afternoon", "13:00–18:00", 1),
        ("", "16:00–21:00", 2),
        ("Other windows", "10:00–17:00", 1),
    ]


def test_panel_and_job_page_of_a_late_failure_do_not_just_say_done() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.close_without_visit(job, remarks="Line works already")
    make.result(job, 5)
    client = signed_in()

    panel = client.get(f"/board/?day={make.DAY}&job={job}").content.decode()
    page = client.get(f"/board/jobs/{job}/")

    for text in (panel[panel.index('id="panel"') :], page.content.decode()):
        assert "Provisioning failed after the job was closed" in strip_tags(text)
    assert next(line.title for line in page.context["page"].urgent) == (
        "Provisioning failed after the job was closed"
    )


def test_panel_says_when_somebody_arrived_and_what_is_open_about_the_job() -> None:
    with time_machine.travel(make.at("09:12")):
        job = make.job(at_state=JobState.ON_SITE)
        make.scan(job)
        make.result(job, 6)
    assigned = make.job(at_state=JobState.ASSIGNED, to=make.engineer())

    with time_machine.travel(make.at("09:30")):
        client = signed_in()
        panels = [
            strip_tags(
                client.get(f"/board/?day={make.DAY}&job={each}").content.decode().split('id="panel"')[1]
            )
            for each in (job, assigned)
        ]

    assert "Mon 23 Nov 08:00–10:00 · arrived 09:12, until about 11:12" in panels[0]
    assert "Provisioning failed 09:12. Call the engineer: another ONT" in panels[0]
    assert "08:00–10:00 · expected 09:3" in panels[1]


def test_attributes_of_a_card_are_what_scripts_read_and_nothing_else() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    board = build_board(make.DAY, now=make.at("08:00"), today=make.DAY)
    card = replace(board.lanes[0].cards[0], area='Leeds" onclick="<b>', window_cell=None)

    assert card.attributes == (
        f' data-job="{job}" data-title="{card.title}" data-minutes="120" data-version="{card.version}"'
        ' data-kind="installation" data-window-half="morning"'
        ' data-area="Leeds&quot; onclick=&quot;&lt;b&gt;" data-skills=""'
        ' data-risk="none" data-can-move="" data-can-hold="" data-pinned=""'
    )
    assert replace(card, is_pinned=True, can_move=False).attributes.endswith(
        ' data-can-hold="" data-pinned="1"'
    )
    second = replace(card, is_second=True, can_move=False, can_hold=False)
    assert second.attributes.endswith(' data-risk="none" data-second=""')
