"""The pages of the link in a real browser, wide and narrow: chosen, previewed, sent again, watched to the end."""

import json
import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django import Settings

from dispatch.states import JobState
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from seller_link.models import OutboundMessage, OutboundState, Replay
from tests import make
from tests.board.office import lately
from tests.board.test_message_list import inbound, tried
from tests.servers.browser import Window
from tests.servers.record import offered

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("window", [1440, 390], indirect=True),
]


def one_of_each() -> OutboundMessage:
    """A job with a delivered, a held and a waiting message; the held one."""
    job = make.job(at_state=JobState.ON_SITE)
    inbound(job)
    delivered, held, _waiting = job.outbound_messages.all()
    OutboundMessage.objects.filter(pk=delivered.pk).update(state=OutboundState.SENT, sent_at=timezone.now())
    OutboundMessage.objects.filter(pk=held.pk).update(state=OutboundState.HELD, held_reason="400 coordinates")
    tried(delivered)
    tried(held, status=400, response='{"fault": {"faultcode": "client.invalidMessage"}}')
    alarms.raise_alarm(
        AlarmKind.MESSAGE_HELD,
        job.provider_job_id,
        coded_text("message_held", address="1 Mill Lane, LS30 1AA", job=job.provider_job_id, reason="400"),
    )
    return held


def look(window: Window, name: str) -> None:
    window.fits_its_width()
    window.looked_at(f"link-{name}-{window.page.viewport_size['width']}")


def test_messages_are_found_chosen_and_sent_again(window: Window) -> None:
    held, page = one_of_each(), window.page
    page.goto("/board/messages/")
    look(window, "messages")
    for box in page.get_by_role("checkbox").all()[:2]:
        box.check()
    page.get_by_role("button", name="Resend selected").click()
    expect(page.get_by_label("Reason for resending")).to_be_visible()
    look(window, "replay-preview")
    page.get_by_label("Reason for resending").fill("The seller lost them")
    page.get_by_role("button", name="Resend 2 messages").click()
    # what changes each second is read by the bar, and not out of the status
    expect(page.get_by_text("0 of 2 delivered.")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="You can leave this page.")).to_be_visible()

    Replay.objects.get().messages.update(state=OutboundState.SENT)

    expect(page.get_by_text("2 of 2 delivered.")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="All done.")).to_be_visible()
    look(window, "replay-progress")
    held.refresh_from_db()
    assert held.state == OutboundState.SENT


def test_filter_is_behind_a_summary_on_a_phone_and_open_on_a_wide_screen(window: Window) -> None:
    one_of_each()
    page = window.page
    page.goto("/board/messages/")
    is_narrow = page.viewport_size["width"] < 700
    summary, kind = page.get_by_text("Filter", exact=True), page.get_by_label("Type")
    expect(kind).to_be_visible(visible=not is_narrow)
    expect(summary).to_be_visible(visible=is_narrow)
    if is_narrow:
        summary.click()

    kind.select_option("Job pack")
    page.get_by_role("button", name="Show", exact=True).click()

    expect(page.get_by_text("1 filter active")).to_be_visible(visible=is_narrow)
    expect(page.locator("table.message-log tbody tr")).to_have_count(1)
    look(window, "message-filtered")


def test_held_message_is_shown_and_corrected(window: Window) -> None:
    held, page = one_of_each(), window.page
    page.goto(f"/board/messages/{held.message_id}/")
    look(window, "message")
    page.get_by_role("button", name="Show personal data").click()
    page.get_by_label("Reason for the correction").fill("The place was wrong")
    look(window, "message-shown")
    good = json.loads(page.locator("#body").input_value())
    broken = {name: value for name, value in good.items() if name != "engineer"}
    page.locator("#body").fill(json.dumps(broken))
    page.get_by_role("button", name="Send correction").click()
    expect(page.get_by_role("alert")).to_have_text("/engineer: This member is required.")
    expect(page.get_by_label("Reason for the correction")).to_have_value("The place was wrong")
    expect(page.locator("#body")).to_have_value(json.dumps(broken))
    look(window, "message-refused")
    page.locator("#body").fill(json.dumps({**good, "engineer": {"id": "E9"}}))
    page.get_by_role("button", name="Send correction").click()

    expect(page.get_by_text("Message queued for resending.")).to_be_visible()
    held.refresh_from_db()
    assert (held.state, held.body["engineer"]) == (OutboundState.READY, {"id": "E9"})


def test_alarm_comes_to_the_open_board_by_itself(window: Window) -> None:
    page = window.page
    page.goto("/board/")
    expect(page.locator("#board[data-started]")).to_be_attached()

    alarms.raise_alarm(
        AlarmKind.SELLER_UNREACHABLE, "https://a.example", coded_text("seller_unreachable", reason="timeout")
    )

    expect(page.locator("#attention")).to_contain_text("The seller can't be reached")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.get_by_role("button", name="I'll handle it").click()
    expect(page.locator("#attention")).to_contain_text("is handling this since")
    expect(page).not_to_have_title(re.compile(r"^\("))
    page.goto("/board/alarms/")
    look(window, "alarms")


def test_seller_s_record_is_asked_for_and_compared(window: Window, settings: Settings) -> None:
    one_of_each()
    page = window.page
    with offered([]) as settings.SELLER_RECORD_URL:
        page.goto("/board/reconcile/")
        page.get_by_label("From").fill(lately()["from_at"])
        page.get_by_label("To", exact=True).fill(lately()["to_at"])
        page.get_by_role("button", name="Fetch log from the seller").click()
        expect(page.get_by_role("heading", name="4 differences")).to_be_visible()
        look(window, "reconcile")

    page.get_by_label("From").fill(lately()["from_at"])
    page.get_by_label("To", exact=True).fill(lately()["to_at"])
    page.get_by_role("button", name="Fetch log from the seller").click()

    expect(page.get_by_text("The seller did not respond")).to_be_visible()


def test_contract_can_be_read(window: Window) -> None:
    window.page.goto("/board/api-docs/")
    window.page.get_by_text("Example: createJob").click()
    look(window, "contract")
