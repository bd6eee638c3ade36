"""A phone for tests: says things as the script does, and reads what it is answered."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse
from django.test import Client

from dispatch.models import Job
from engineers.models import Engineer
from tests import make

POSITION = {"latitude": 53.81, "longitude": -1.56, "accuracy_metres": 12.5}


def entry(kind: str, job: Job | str, body: dict[str, Any] | None = None, **other: Any) -> dict[str, Any]:
    return {
        "message_id": str(uuid.uuid4()),
        "kind": kind,
        "job": str(job),
        "occurred_at": make.now().isoformat(),
        "body": body or {},
        **other,
    }


@dataclass
class Phone:
    engineer: Engineer
    client: Client = field(default_factory=Client)

    def __post_init__(self) -> None:
        self.client.force_login(self.engineer.user, "engineers.permissions.RoleBackend")

    def post(self, body: Any) -> HttpResponse:
        raw = body if isinstance(body, str) else json.dumps(body)
        return self.client.post(
            "/phone/sync", raw, "application/json", headers={"Accept": "application/json"}
        )

    def send(self, *entries: dict[str, Any]) -> list[dict[str, Any]]:
        answer = self.post({"messages": list(entries)})
        assert answer.status_code == 200, answer.content
        results: list[dict[str, Any]] = answer.json()["results"]
        return results

    def say(
        self, kind: str, job: Job | str, body: dict[str, Any] | None = None, **other: Any
    ) -> dict[str, Any]:
        return self.send(entry(kind, job, body, **other))[0]

    def put(self, photo_id: str, raw: bytes) -> HttpResponse:
        return self.client.put(
            f"/phone/photos/{photo_id}", raw, "image/jpeg", headers={"Accept": "application/json"}
        )

    def json(self, path: str, **query: str) -> dict[str, Any]:
        payload: dict[str, Any] = self.client.get(path, query, headers={"Accept": "application/json"}).json()
        return payload
