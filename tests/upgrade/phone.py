"""A phone in a pocket while the version changes: a real browser with the application of the old version.

It is offline during the upgrade. Afterwards the old scripts send what was unsent and read the day from the new server;
then the phone takes the new version.
"""

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.utils import timezone
from playwright.sync_api import Error, Page, sync_playwright

from demo.environment import wait_until
from demo.rehearsal.sandbox_client import SandboxClient
from tests.browser.phone import ASSIGN, come_back, go_to_site, say_yes
from tests.browser.test_phone_versions import OLD_PAGE, wait_until_new
from tests.servers.browser import HEADLESS
from tests.servers.phone import Phone, drawn, kept_rows, open_app, wait_until_safe
from tests.upgrade.releases import Release
from tests.upgrade.side_by_side import SideBySide

USERNAME = "olga"
SECONDS = 120
# of the bundle that a release brings: another byte is another version
BUNDLE = Path("static/built/js/phone/app.js")
SESSION = """
from django.conf import settings
from django.test import Client
from engineers.models import User
client = Client()
client.force_login(User.objects.get(username={username!r}), "engineers.permissions.RoleBackend")
print(settings.SESSION_COOKIE_NAME, client.session.session_key)
"""
# at work today only: the office would give her jobs of the load, which are of tomorrow
HIRE = """
from datetime import time
from dispatch.skills import SKILL_NAMES
from django.utils import timezone
from engineers import staff
from engineers.staff import ShiftPattern
from tests import make
staff.hire_engineer(
    username={username!r},
    password=make.PASSWORD,
    name="Olga Old",
    staff_number="E-OLD",
    phone="07700 900123",
    home=make.HERE,
    skill_codes=list(SKILL_NAMES),
    shifts=[ShiftPattern((timezone.localdate().weekday(),), time(0), time(23, 59))],
)
"""
ARRIVED = """
import json
from engineers.models import PhoneMessage
print(json.dumps([str(key) for key in PhoneMessage.objects.values_list("message_id", flat=True)]))
"""
VERSION = "from phone import pwa; print(pwa.version())"


def mark_bundle(old: Release, new: Release) -> None:
    """Where the releases bring the same scripts, the old ones get another byte: a phone must see two versions."""
    script = old.folder / BUNDLE
    if script.read_bytes() == (new.folder / BUNDLE).read_bytes():
        script.write_bytes(script.read_bytes() + b"\n// of the release before\n")


@dataclass
class OldPhone:
    """Used by one thread only, as Playwright wants it."""

    both: SideBySide
    phone: Phone
    jobs: list[str] = field(default_factory=list)
    unsent: list[dict[str, Any]] = field(default_factory=list)

    @property
    def page(self) -> Page:
        return self.phone.page

    def begin(self) -> None:
        """The old version's application, on site at a job, offline with answers that nobody has got."""
        self._shell(self.both.old, HIRE.format(username=USERNAME))
        job = {"ours": self._new_job(self.both.old)}
        name, value = self._shell(self.both.old, SESSION.format(username=USERNAME)).split()
        self.phone.start()
        self.phone.context.add_cookies([{"name": name, "value": value, "url": self.phone.base_url}])
        open_app(self.page)
        self._wait_for_version(self.both.old)
        go_to_site(self.page, job)
        wait_until_safe(self.page, seconds=SECONDS)
        self.phone.context.set_offline(True)
        say_yes(self.page, times=2)
        # by the page's own link, which changes no page
        self.page.get_by_role("link", name="My day").first.click()
        drawn(self.page)
        self.page.evaluate(f"{OLD_PAGE} = true")
        self.unsent = [row for row in kept_rows(self.page) if row["state"] == "pending"]
        assert self.unsent, "the phone has sent everything"

    def work_on(self) -> None:
        """In the old page: what was kept arrives once, and the day shows a job that was assigned since."""
        added = self._new_job(self.both.new)
        come_back(self.page)
        wait_until_safe(self.page, seconds=SECONDS)
        arrived = json.loads(self._shell(self.both.new, ARRIVED))
        wanted = [row["entry"]["message_id"] for row in self.unsent]
        assert [arrived.count(message_id) for message_id in wanted] == [1] * len(wanted), (
            "what the old phone had not sent is lost"
        )
        self.page.locator(f'a[href*="{added}"]').first.wait_for(timeout=SECONDS * 1000)
        assert self.page.evaluate(OLD_PAGE) is True, "the new version came under the hands"

    def take_version_of(self, release: Release) -> None:
        """When the phone is put away and taken up again, or the time after that."""
        self.page.evaluate(f"{OLD_PAGE} = true")
        wait_until_new(self.page)
        self._wait_for_version(release)
        wait_until_safe(self.page, seconds=SECONDS)

    def _wait_for_version(self, release: Release) -> None:
        wanted = ["phone-" + self._shell(release, VERSION).strip()]
        assert wait_until(lambda: self._versions() == wanted, seconds=SECONDS), (wanted, self._versions())

    def _versions(self) -> list[str]:
        """Which the phone holds; nothing while its page is loaded again."""
        with suppress(Error):
            return [name for name in self.page.evaluate("caches.keys()") if name.startswith("phone-")]
        return []

    def _new_job(self, release: Release) -> str:
        """Of today, for the phone's engineer; our number."""
        seller = SandboxClient(self.both.demo.console_url)
        (pack,) = seller.send_packs(
            count=1,
            day=timezone.localdate(),
            types=["installation"],
            provisioning_plans=[[2]],
            odd=[""],
            odd_results=[[]],
            seed=len(self.jobs),
        )
        number: list[str] = []

        def is_accepted() -> bool:
            number[:] = [job.provider_job_id for job in seller.jobs() if job.seller_job_id == pack]
            return bool(number and number[0])

        assert wait_until(is_accepted, seconds=SECONDS), "the pack was not accepted"
        self._shell(release, ASSIGN.format(jobs=number, username=USERNAME))
        self.jobs += number
        return number[0]

    def _shell(self, release: Release, code: str) -> str:
        return self.both.run(release, "shell", "-v", "0", "-c", code)


@contextmanager
def old_phone(both: SideBySide, folder: Path) -> Iterator[OldPhone]:
    # Django refuses its ORM in a thread with a running loop, which Playwright's is
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    trusted = f"--ignore-certificate-errors-spki-list={_key_hash(both.demo.certs / 'partner.pem')}"
    with sync_playwright() as playwright:
        phone = Phone(playwright, folder, both.demo.board_url, (trusted,), HEADLESS)
        try:
            yield OldPhone(both, phone)
        finally:
            phone.close()


def _key_hash(certificate: Path) -> str:
    """As Chromium names a public key that it shall trust."""
    key = x509.load_pem_x509_certificate(certificate.read_bytes()).public_key()
    written = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(written).digest()).decode()
