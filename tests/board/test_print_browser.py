"""What is printed: the plan and the job on A4 landscape, without what is for the screen only."""

import pytest
from playwright.sync_api import expect

from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
# A4 landscape between its margins
PAPER = {"width": 1047, "height": 718}
# each half of a postcode in one piece, and inside its card
IS_WHOLE = """postcode => {
  const range = document.createRange();
  range.selectNodeContents(postcode);
  const boxes = [...range.getClientRects()], card = postcode.closest(".card").getBoundingClientRect();
  return boxes.length <= 2 && boxes.every((box) => box.right <= card.right + 1 && box.bottom <= card.bottom + 1);
}"""
IS_CUT = "name => name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight + 1"


@pytest.mark.parametrize("density", ["Comfortable", "Compact", "Dense"])
def test_printed_board_cuts_no_postcode_and_no_name(window: Window, density: str) -> None:
    """A long day, on which 45 minutes are as narrow as they get; one of the jobs is at risk."""
    aled = make.engineer(name="Aled Hughes-Pritchard", starts="07:00", ends="23:45")
    for clock, flags in {"08:00": (), "10:00": ("SUR",)}.items():
        job = make.job(duration_minutes=45, flags=flags)
        visits.assign(job=job, engineer=aled, starts_at=make.at(clock), by=make.office())
    Job.objects.update(postcode="LS37 4WX")
    page = window.page
    page.goto(f"/board/?day={make.DAY}")
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name=density, exact=True).click()
    expect(page.locator(f".density-{density.lower()}")).to_be_attached()
    page.wait_for_load_state()
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)

    assert page.locator(f"#lane-{aled.staff_number} h4").evaluate(IS_CUT) is False
    for postcode in page.locator(".track .postcode").all():
        expect(postcode).to_have_text("LS37 4WX")
        assert postcode.evaluate(IS_WHOLE) is True


def test_printed_job_shows_no_alarm_and_no_undo(window: Window) -> None:
    """A banner that is on every page, and the message of the last change."""
    failed, job, page = make.job(at_state=JobState.ON_SITE), make.job(at_state=JobState.ASSIGNED), window.page
    make.scan(failed)
    make.result(failed, 6)
    page.goto(f"/board/jobs/{job.provider_job_id}/")
    page.get_by_role("button", name="Unassign").click()
    for part in (".alarm-banner", ".notice-undo"):
        expect(page.locator(part)).to_be_visible()

    page.emulate_media(media="print")

    expect(page.get_by_role("heading", name=job.title)).to_be_visible()
    for part in (".alarm-banner", ".notice-undo"):
        expect(page.locator(part)).to_be_hidden()
