"""An automatic dispatcher: locates, takes the offer of whoever has least to do, assigns. By the board's own actions."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from config.rehearsal.web import Browser, UnexpectedAnswer

# the middle of the demo's town, where a dispatcher would put the pin after a call
TOWN = {"latitude": "53.8000", "longitude": "-1.5480"}

EMPTY_PIN = re.compile(r'name="latitude"[^>]*value=""')


@dataclass
class Office:
    browser: Browser
    load: Counter[str] = field(default_factory=Counter)

    def place(self, job_id: str) -> str:
        """The staff number of whoever got the job, or nothing when nobody is free just now."""
        offers = self._offers(job_id)
        if not offers and self._locate(job_id):
            offers = self._offers(job_id)
        for offer in sorted(offers, key=self._least_loaded):
            if self._assign(job_id, offer):
                self.load[offer["engineer"]] += 1
                return str(offer["engineer"])
        return ""

    def _least_loaded(self, offer: dict[str, Any]) -> int:
        return self.load[offer["engineer"]]

    def _offers(self, job_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.browser.get_json(f"/board/jobs/{job_id}/offers.json")["offers"]
        return found

    def _assign(self, job_id: str, offer: dict[str, Any]) -> bool:
        words = {"engineer": offer["engineer"], "starts_at": offer["starts_at"]}
        return self._act(job_id, "assign", words)

    def _locate(self, job_id: str) -> bool:
        """Whether the job had no place; a job that has one keeps it."""
        if not EMPTY_PIN.search(self.browser.get(f"/board/jobs/{job_id}/").text):
            return False
        return self._act(job_id, "locate", TOWN)

    def _act(self, job_id: str, action: str, words: dict[str, str]) -> bool:
        """False when the board refused with reasons; anything but that and success is a fault."""
        path = f"/board/jobs/{job_id}/{action}/"
        answer = self.browser.submit(path, words, accept="application/json")
        if answer.status not in {200, 409}:
            raise UnexpectedAnswer("POST", path, answer.status, answer.text)
        return bool(answer.json()["ok"])
