"""Asks the control interface over plain JSON, as testers do."""

import json
from typing import Any

from django.test import Client

from seller_sandbox.tests.processes import Response


def open_control() -> Client:
    return Client(headers={"X-Sandbox-Control": "1"}, enforce_csrf_checks=True)


def post(control: Client, path: str, body: Any) -> Response:
    response = control.post(f"/api/{path}", data=json.dumps(body), content_type="application/json")
    return Response(response.status_code, response.json())


def get(control: Client, path: str) -> Response:
    response = control.get(f"/api/{path}")
    return Response(response.status_code, response.json())
