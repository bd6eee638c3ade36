"""What is typed is what is sent: a number with too many decimals is refused with a sentence, never rounded."""

import pytest
from playwright.sync_api import expect

from tests.browser.phone import Start, arrived, go_to_site, job_url, one_job
from tests.browser.story import main_button
from tests.servers.phone import open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_decimals_are_refused_where_the_question_takes_none(system: System, start: Start) -> None:
    job = one_job(system, "noreen", 901)
    page = start("noreen").page
    go_to_site(page, job)
    open_app(page, job_url(job, "question/ROU02/"))
    page.get_by_label("Whole number, 1 to 500 m").fill("12,5")
    main_button(page)

    refusal = "Enter a whole number in m, without a decimal point."
    expect(page.locator("[data-problems]")).to_contain_text(refusal)
    expect(page.locator("#value")).to_have_value("12,5")

    page.locator("#value").fill("13")
    main_button(page)
    page.wait_for_url(lambda url: "ROU02" not in url)
    open_app(page, job_url(job, "question/LGT01/"))
    page.locator("#value").fill("−18,5")
    main_button(page)
    page.wait_for_url(lambda url: "LGT01" not in url)
    wait_until_safe(page)
    entries = [entry["body"] for entry in arrived(system, job) if entry["kind"] == "answered"]
    assert entries == [{"question": "ROU02", "value": 13}, {"question": "LGT01", "value": -18.5}]
