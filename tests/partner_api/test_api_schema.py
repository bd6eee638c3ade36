"""docs/partner-api.openapi.json is generated, and what the views answer keeps to it."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dispatch.states import JobState
from engineers.models import Area
from tests import make
from tests.partner_api.caller import Caller
from tools import partner_schema

pytestmark = pytest.mark.django_db
DOCUMENT = json.loads(partner_schema.PAGE.read_text())


def problems(answer: Any, component: str) -> list[str]:
    schema = {"$ref": f"#/components/schemas/{component}", "components": DOCUMENT["components"]}
    return [
        f"{problem.json_path}: {problem.message}"
        for problem in Draft202012Validator(schema).iter_errors(answer)
    ]


def test_document_is_what_the_views_give() -> None:
    assert json.loads(json.dumps(partner_schema.document())) == DOCUMENT, "run python -m tools.partner_schema"


def test_answers_are_as_described() -> None:
    Area.objects.create(name="Leeds", postcodes="LS")
    make.job()
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    make.close(job)
    caller = Caller()

    assert problems(caller.read("/api/v1/jobs"), "JobList") == []
    assert problems(caller.read(f"/api/v1/jobs/{job}"), "JobDetail") == []
    assert problems(caller.read("/api/v1/engineers"), "EngineerList") == []
    assert problems(caller.read("/api/v1/areas"), "AreaList") == []
    assert problems(caller.read("/api/v1/shifts?first=2026-11-23&last=2026-11-29"), "ShiftList") == []
    assert problems(json.loads(caller.get("/api/v1/jobs?day=x").content), "ProblemDetails") == []
    assert problems({"jobs": [{}], "next": 1}, "JobList") != []
