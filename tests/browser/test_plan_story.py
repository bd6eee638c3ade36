"""A full day planned at once, end to end: looked at on the board, accepted in part, undone, accepted whole; an engineer
falls ill, a way is taken, and the seller has the new engineers."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.story import today, until
from tests.servers.browser import Window
from tests.servers.system import System

HAS_OWN_SYSTEM = True
pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
DAY = today() + timedelta(days=1)
JOBS = 24
# of a machine that does much else at the same time
MADE = 90_000

ENGINEERS_OF_JOBS = """
from dispatch.models import Visit
for visit in Visit.objects.current().select_related("job", "engineer__user").order_by("planned_start"):
    print(visit.job.seller_job_id, visit.engineer.staff_number, sep="\\t")
"""


def planned_engineers(system: System) -> dict[str, str]:
    """Staff numbers by the seller's job, as our plan has them."""
    lines = system.shell.run(ENGINEERS_OF_JOBS).splitlines()
    return dict(line.split("\t") for line in lines)


def sellers_engineers(system: System, jobs: list[str]) -> dict[str, str]:
    """The newest that the seller was notified of."""
    found = {job: list(_notified_engineers(system, job)) for job in jobs}
    return {job: engineers[-1] for job, engineers in found.items() if engineers}


def _notified_engineers(system: System, job: str) -> Iterator[str]:
    for message in system.seller_job(job)["messages"]:
        if message["direction"] == "in" and message["event"] == "engineerAssigned":
            yield message["body"]["engineer"]["id"]


def receive_day(system: System) -> list[str]:
    sent = system.send_packs(count=JOBS, day=DAY, types=["installation"], seed=7)["jobs"]
    jobs = [job["sellerJobId"] for job in sent]
    until(lambda: all(system.seller_job(job)["providerJobId"] for job in jobs))
    return jobs


def plan_day(page: Page) -> None:
    page.goto(f"/board/plans/?day={DAY}")
    page.get_by_label("Seconds to plan").fill("4")
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile(r"^\d+ changes?$"))).to_be_visible(timeout=MADE)


def accept_some(page: Page) -> int:
    """From the board, all but the first; how many."""
    page.get_by_role("link", name="Show on the board").click()
    boxes = page.locator("li.proposed input[type=checkbox]")
    expect(boxes.first).to_be_visible()
    boxes.first.uncheck()
    page.get_by_role("button", name="Accept the chosen ones").click()
    message = page.get_by_text(re.compile(r"^\d+ changes? accepted\.$"))
    expect(message).to_be_visible()
    return int(message.inner_text().split()[0])


def test_day_is_planned_accepted_undone_and_goes_on_without_an_engineer(
    system: System, office: Window
) -> None:
    page, jobs = office.page, receive_day(system)

    plan_day(page)
    accepted = accept_some(page)
    assert 0 < accepted == len(planned_engineers(system)) < JOBS

    page.goto(f"/board/?day={DAY}")
    page.get_by_role("button", name="Undo").first.click()
    until(lambda: not planned_engineers(system))

    plan_day(page)
    page.get_by_role("button", name="Accept all").click()
    expect(page.get_by_text(re.compile(r"^\d+ changes accepted\.$"))).to_be_visible()
    before = planned_engineers(system)
    until(lambda: sellers_engineers(system, jobs) == before)

    absent = max(set(before.values()), key=list(before.values()).count)
    page.goto(f"/board/plans/replan/?occasion=engineer_absent&engineer={absent}&absent_since={DAY}T00:00")
    page.get_by_role("button", name="Show the ways").click()
    accept = page.get_by_role("button", name="Accept this way").first
    expect(accept).to_be_visible(timeout=MADE)
    office.looked_at("plan-engineer-absent")
    accept.click()
    expect(page.get_by_text("is marked absent.")).to_be_visible()

    after = planned_engineers(system)
    assert absent not in after.values()
    assert any(after.get(job, absent) != absent for job, engineer in before.items() if engineer == absent)
    until(lambda: sellers_engineers(system, list(after)) == after)
