"""Learned times on a screen and on a phone: read without scrolling sideways, switched by a supervisor."""

import pytest
from playwright.sync_api import expect

from dispatch.driving.drive_corrections import FEWEST_DRIVES, DriveSample
from dispatch.job_lengths import FEWEST_JOBS, LengthSample
from dispatch.models import DriveSource, LearnedLength
from dispatch.states import JobType
from engineers.models import Role, User
from tests import make
from tests.learning import learn_corrections, learn_lengths
from tests.servers.browser import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_supervisor_reads_and_switches_a_learned_length(window: Window) -> None:
    product = "Residential FTTH 1 Gbps with a second line"
    samples = [LengthSample(JobType.INSTALLATION, product, frozenset(), 95.0)] * FEWEST_JOBS
    learn_lengths(samples, now=make.at("02:00"))
    learn_corrections([DriveSample(DriveSource.ESTIMATE, 8, 1.25)] * FEWEST_DRIVES, now=make.at("02:00"))
    User.objects.update(role=Role.SUPERVISOR)
    page = window.page

    page.goto("/board/plans/learned/")
    window.looked_at("plan-learned")
    window.fits_its_width()
    tables = page.locator(".table-wrap")
    widths = tables.evaluate_all("all => all.map(table => table.scrollWidth - table.clientWidth)")
    assert widths == [0] * tables.count()

    page.get_by_role("button", name=f"Use the default: Installation · {product}").click()
    expect(page.get_by_role("button", name=f"Use what was learned: Installation · {product}")).to_be_visible()
    assert not LearnedLength.objects.get(product=product).is_used
