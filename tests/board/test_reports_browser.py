"""Reports in a real browser: filtered, saved, read without a mouse, and the day sheet that is printed from there."""

import pytest
from playwright.sync_api import expect

from dispatch.states import JobState
from tests import make
from tests.board.test_reports import FORM, worked
from tests.servers.browser import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_office_looks_back_saves_a_filter_and_prints_a_day(window: Window) -> None:
    for name, code in (("Bea Okafor", "SP"), ("Ali Khan", "RNA/NA")):
        worked(make.engineer(name=name), code)
    make.job(at_state=JobState.ASSIGNED, to=make.engineer(name="Cleo Marsh"), flags=("CHP",))
    page = window.page
    page.goto(f"/board/reports/?{FORM}&by=engineer")
    expect(page.get_by_role("heading", name="Missed appointments")).to_be_visible()
    on_time = page.get_by_role("list", name="On-time arrival").get_by_role("listitem")
    expect(on_time.filter(has_text="Bea Okafor")).to_contain_text("100 % (1/1)")
    assert window.barriers() == []
    window.picture("reports")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download Closures as CSV").click()
    assert download.value.suggested_filename == "closures_2026-11-01_2026-11-30.csv"

    page.get_by_label("Save this filter as").fill("November")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="November")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert window.barriers() == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    window.picture("phone-reports")

    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("link", name="Day sheets").click()
    expect(page.get_by_role("heading", name="Day sheets")).to_be_visible()
    page.goto(f"/board/day-sheets/?day={make.DAY}")
    expect(page.get_by_text("Harness and helmet")).to_be_visible()
    assert window.barriers() == []
    assert window.complaints == []
