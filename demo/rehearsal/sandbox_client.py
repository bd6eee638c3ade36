"""The sandbox seller's control interface, as far as a rehearsal needs it."""

import json
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import urllib3

from demo.rehearsal.app_client import SessionError, UnexpectedAnswer

SECONDS = 60


@dataclass(frozen=True)
class SellerJob:
    """A job as the seller knows it; `provider_job_id` is empty until we answered."""

    seller_job_id: str
    provider_job_id: str
    job_type: str
    state: str
    closure: str
    breaches: int
    oddity: str = ""


@dataclass(frozen=True)
class OddPack:
    """`is_due`: we should accept it; `is_workable`: an engineer can be sent there."""

    is_due: bool
    is_workable: bool


@dataclass(frozen=True)
class LoggedMessage:
    """One message that went over the wire, with the status that it was answered with."""

    at: datetime
    arrived: bool
    job: str
    message_id: str
    operation: str
    event: str
    body: Any
    status: int | None
    is_repeat: bool
    breaches: list[dict[str, Any]]
    number: int = 0
    # order, job or nothing, and the reference that the seller gave it
    thread_kind: str = ""
    thread: str = ""
    caller: str = ""
    # the mode of the endpoint that it met, if that was not the usual one
    switch: str = ""
    answer: Any = None

    @property
    def flags(self) -> list[str]:
        """Of the premises, on a job pack."""
        premises = self.body.get("property", {}) if isinstance(self.body, dict) else {}
        return list(premises.get("flags", []))

    @property
    def closure(self) -> str:
        """How the partner closed the job."""
        return str(self.body.get("closureCode", "")) if isinstance(self.body, dict) else ""

    @property
    def code(self) -> str:
        """The operation, or the event of a notification with its result."""
        result = self.body.get("result", {}).get("id", "") if isinstance(self.body, dict) else ""
        return f"{self.event or self.operation}{f'({result})' if result else ''}"

    @property
    def photo_links(self) -> list[str]:
        """Where the seller fetches the photos of a closed job."""
        answers = self.body.get("questions_answers", []) if isinstance(self.body, dict) else []
        return [file.get("url", "") for answer in answers for file in answer.get("files", [])]

    @property
    def counts(self) -> bool:
        """Accepted, and for the first time."""
        return self.status is not None and self.status < 300 and not self.is_repeat


@dataclass
class SandboxClient:
    base: str
    pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(retries=False, maxsize=16))

    def send_packs(self, *, count: int, day: date, seed: int, **more: Any) -> list[str]:
        """Queue packs; types, provisioning plans and odd cases are lists taken in turn, `window` is one object.

        Returns the seller's ids in order.
        """
        order = {"count": count, "day": day.isoformat(), "seed": seed, **more}
        return [job["sellerJobId"] for job in self._post("/api/jobs", order)["jobs"]]

    def cancel(self, seller_job_id: str) -> None:
        reason = {"code": "CUSTOMER", "message": "Customer changed their mind"}
        self._post(f"/api/jobs/{seller_job_id}/cancel", reason)

    def provision(self, seller_job_id: str, *, result: int) -> None:
        """Answer the scan that waits with this result."""
        self._post(f"/api/jobs/{seller_job_id}/provision", {"result": result})

    def odd_packs(self) -> dict[str, OddPack]:
        """The odd packs that the seller can send, by name."""
        cases = self._get("/api/odd")["packs"]
        return {name: OddPack(case["status"] < 400, case["is_workable"]) for name, case in cases.items()}

    def send_odd(self, seller_job_id: str, case: str) -> None:
        """An odd message about a job that we accepted."""
        self._post(f"/api/jobs/{seller_job_id}/odd", {"case": case})

    def switch(self, endpoint: str, mode: str, **more: Any) -> None:
        self._post(f"/api/endpoints/{endpoint}", {"mode": mode, **more})

    def change_certificate(self) -> None:
        self._post("/api/certificate", {"uses_next": True})

    def is_at_rest(self) -> bool:
        """Whether nothing waits to be sent, and every file of a closed job was fetched and compared."""
        found = self.summary()
        return [found["queue"]["waiting"], found["evidence"]["waiting"]] == [0, 0]

    def move_clock(self, *, seconds: int) -> datetime:
        """Retries and second provisioning tries fall due at once; says what the clock shows then."""
        moved = self._post("/api/clock", {"advance_seconds": seconds})
        return datetime.fromisoformat(moved["now"])

    def answer_scans_after(self, *, seconds: int) -> None:
        self._post("/api/provisioning-rule", {"seconds": seconds})

    def plan_results(self, results: list[int]) -> None:
        """What the scans of each new job are answered with, one after the other."""
        self._post("/api/provisioning-rule", {"plan_cycle": [results]})

    def jobs(self) -> list[SellerJob]:
        return [_job(report) for report in self._get("/api/jobs")["jobs"]]

    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = self._get("/api/summary")
        return found

    def message_log(self, *, since: int = 0, speaking_with: str = "partner") -> list[LoggedMessage]:
        """Every passage over the wire after the one with this number, oldest first; with partner, buyers or all."""
        lines: list[dict[str, Any]] = []
        while True:
            last = lines[-1]["id"] if lines else since
            page = self._get(f"/api/message-log?since={last}&with={speaking_with}")
            lines += page["lines"]
            if not page["more"]:
                return [_passage(line) for line in lines]

    def _get(self, path: str) -> Any:
        return self._answer("GET", path, None)

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._answer("POST", path, json.dumps(body).encode())

    def _answer(self, method: str, path: str, body: bytes | None) -> Any:
        headers = {"Content-Type": "application/json", "X-Sandbox-Control": "1"}
        try:
            answer = self.pool.request(
                method, f"{self.base}{path}", body=body, headers=headers, timeout=SECONDS
            )
        except urllib3.exceptions.HTTPError as problem:
            raise SessionError(
                f"the sandbox seller gave no answer to {method} {path}: {problem}"
            ) from problem
        if answer.status >= 400:
            raise UnexpectedAnswer(method, path, answer.status, answer.data.decode(errors="replace"))
        return json.loads(answer.data)


def _job(report: dict[str, Any]) -> SellerJob:
    closure = report["closure"] or {}
    code = closure.get("secondaryClosureCode") or closure.get("closureCode") or ""
    return SellerJob(
        seller_job_id=report["sellerJobId"],
        provider_job_id=report["providerJobId"] or "",
        job_type=report["jobType"],
        state=report["state_words"],
        closure=code,
        breaches=report["breaches"],
        oddity=report["oddity"],
    )


def _passage(line: dict[str, Any]) -> LoggedMessage:
    thread = line["thread"] or {"kind": "", "reference": ""}
    return LoggedMessage(
        number=line["id"],
        thread_kind=thread["kind"],
        thread=thread["reference"],
        caller=line.get("caller") or "",
        switch=line["switch"] or "",
        answer=line["answer"]["body"],
        at=datetime.fromisoformat(line["at"]),
        arrived=line["direction"] == "in",
        job=line["sellerJobId"] or "",
        message_id=line["messageId"] or "",
        operation=line["operation"],
        event=line["event"] or "",
        body=line["body"],
        status=line["answer"]["status"],
        is_repeat=line["duplicate_of"] is not None,
        breaches=line["breaches"],
    )
