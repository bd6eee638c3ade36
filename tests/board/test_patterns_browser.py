"""A fault of the network in a real browser: found, held, seen on the board and released, on a screen and on a phone."""

import pytest
from playwright.sync_api import expect

from closures.network_patterns import watch_patterns
from dispatch.states import JobState
from tests import make
from tests.closures.test_network_patterns import closed, on
from tests.servers.browser import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_dispatcher_holds_what_lies_ahead_and_releases_it(window: Window) -> None:
    for code in ("POP", "CON", "POP"):
        closed(code, splitter="LS-SP-0417", node="LS-N-12")
    bea = make.engineer(name="Bea Okafor")
    planned = on(make.job(at_state=JobState.ASSIGNED, to=bea), splitter="LS-SP-0417", node="LS-N-12")
    waiting = on(make.job(), splitter="LS-SP-0417", node="LS-N-12")
    on(make.job(at_state=JobState.EN_ROUTE), splitter="LS-SP-0417", node="LS-N-12")
    watch_patterns()
    page = window.page
    page.goto("/board/alarms/")
    page.get_by_role("link", name="Show and hold the jobs").click()
    expect(page.get_by_role("button", name="Hold the selected jobs")).to_be_visible()
    assert window.barriers() == []
    window.picture("network-pattern")

    page.get_by_label("Reason for the hold").fill("Splitter LS-SP-0417 is down")
    page.get_by_role("button", name="Hold the selected jobs").click()
    notice = page.locator(".notice-undo")
    expect(notice).to_contain_text("3 jobs are on hold.")
    notice.get_by_role("button", name="Undo").click()
    expect(notice).to_contain_text("Undone. 3 jobs are no longer on hold.")
    expect(page.get_by_role("button", name="Hold the selected jobs")).to_be_visible()
    notice.get_by_role("button", name="Redo").click()
    expect(page.get_by_role("button", name="Release 3 jobs")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert window.barriers() == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    window.picture("phone-network-pattern")
    page.set_viewport_size({"width": 1440, "height": 900})

    page.goto(f"/board/?day={make.DAY}&job={waiting}")
    expect(page.locator(f"#card-{planned}")).to_contain_text("On hold")
    expect(page.locator(f"#card-{waiting}")).to_contain_text("On hold")
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Splitter LS-SP-0417 is down")
    assert window.barriers() == []
    window.picture("network-pattern-board")
    panel.get_by_role("button", name="Release job").click()
    expect(page.locator(f"#card-{waiting}")).not_to_contain_text("On hold")
    assert window.complaints == []
