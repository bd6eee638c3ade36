"""An automatic dispatcher: locates, takes the offer of whoever has least to do, assigns. By the board's own actions."""

import re
from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from demo.rehearsal.app_client import HttpSession, SessionError, UnexpectedAnswer, when_available

# the middle of the demo's town, where a dispatcher would put the pin after a call
TOWN = {"latitude": "53.8000", "longitude": "-1.5480"}

EMPTY_PIN = re.compile(r'name="latitude"[^>]*value=""')


@dataclass
class SimulatedDispatcher:
    browser: HttpSession
    load: Counter[str] = field(default_factory=Counter)

    def assign(self, job_id: str) -> str:
        """The staff number of whoever got the job, or nothing when nobody is free just now."""
        version, offers = self._offers(job_id)
        if not offers and self._locate(job_id):
            version, offers = self._offers(job_id)
        for offer in sorted(offers, key=self._least_loaded):
            if self._assign(job_id, offer, version):
                self.load[offer["engineer"]] += 1
                return str(offer["engineer"])
        return ""

    def close_without_visit(self, job_id: str, *, code: str) -> None:
        """What a dispatcher does with a job that nobody can go to any more."""
        version, _nobody = self._offers(job_id)
        fields = {"code": code, "remarks": "The window was over when the pack came", "version": version}
        if not self._act(job_id, "close", fields):
            raise SessionError(f"{job_id} could not be closed {code} without a visit")

    def _least_loaded(self, offer: dict[str, Any]) -> int:
        return self.load[offer["engineer"]]

    def _offers(self, job_id: str) -> tuple[str, list[dict[str, Any]]]:
        """The plan version that the offers were made for, and the offers."""
        path = f"/board/jobs/{job_id}/suggestions.json"
        answer = when_available(lambda: self.browser.get(path, accept="application/json"))
        if answer.status != HTTPStatus.OK:
            raise UnexpectedAnswer("GET", path, answer.status, answer.text)
        found = answer.json()
        return found["version"], found["suggestions"]

    def _assign(self, job_id: str, offer: dict[str, Any], version: str) -> bool:
        fields = {"engineer": offer["engineer"], "starts_at": offer["starts_at"], "version": version}
        # for a lead time or a survey that the rehearsal's day cannot wait for
        fields["override_reason"] = "Agreed with the seller by telephone"
        return self._act(job_id, "assign", fields)

    def _locate(self, job_id: str) -> bool:
        """Whether the job had no place; a job that has one keeps it."""
        if not EMPTY_PIN.search(self.browser.get(f"/board/jobs/{job_id}/").text):
            return False
        return self._act(job_id, "locate", TOWN)

    def _act(self, job_id: str, action: str, fields: dict[str, str]) -> bool:
        """False when the board refused with reasons; anything but that and success is a fault."""
        path = f"/board/jobs/{job_id}/{action}/"
        answer = when_available(lambda: self.browser.submit(path, fields, accept="application/json"))
        if answer.status not in {HTTPStatus.OK, HTTPStatus.CONFLICT}:
            raise UnexpectedAnswer("POST", path, answer.status, answer.text)
        return bool(answer.json()["ok"])
