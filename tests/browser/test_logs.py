"""Logs record what happened to which job, and nothing about the customer."""

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.story import arrive_at_board, assign_first_offer, at_desk, messages, until
from tests.servers.system import System

HAS_OWN_SYSTEM = True
pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def personal(pack: dict[str, Any]) -> list[str]:
    """What names, reaches or places the customer of a pack."""
    contact, address = pack["siteContact"], pack["property"]["address"]
    return [
        contact["name"],
        contact["phone"],
        contact.get("email", ""),
        *address["lines"],
        address["postcode"],
    ]


def test_no_log_names_a_customer(system: System, browser: Browser) -> None:
    office = at_desk(system, browser)
    job = arrive_at_board(system, office, job_type="installation", seed=15, plan=[])
    assign_first_offer(office, job)
    office.page.goto(f"/board/search/?q={job['postcode'].replace(' ', '+')}")
    until(lambda: "engineerAssigned" in messages(system, job))

    logs = {path.name: path.read_text() for path in (system.supervisor.logs).glob("*.log")}
    packs = [system.seller_job(entry["sellerJobId"])["pack"] for entry in system.seller("/api/jobs")["jobs"]]
    texts = {personal_text for pack in packs for personal_text in personal(pack) if personal_text}

    assert job["ours"] in "".join(logs.values())
    assert [
        (name, personal_text)
        for name, text in logs.items()
        for personal_text in texts
        if personal_text in text
    ] == []
