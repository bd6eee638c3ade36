"""The types in frontend/types say what the server sends: nothing that it lacks, nothing more."""

import uuid
from pathlib import Path

import pytest

from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.phone.phone import POSITION, Phone
from tests.script_types import needs_tsc, type_errors

pytestmark = [pytest.mark.django_db, needs_tsc]


def test_types_of_the_day_are_what_the_server_sends(engineer: Engineer, phone: Phone, tmp_path: Path) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today(), flags=("MDU",))
    make.job(at_state=JobState.CANCELLED, to=engineer, day=make.today())
    make.scan(job)
    make.result(job, 4)
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})
    phone.say("check_in", job, {"minutes": 30})
    photo = {"photo_id": str(uuid.uuid4()), "question": "ONT_LABEL", "taken_at": make.now().isoformat()}
    phone.say("photo_taken", job, photo)

    assert type_errors({"ServerDay": phone.json("/phone/day.json")}, folder=tmp_path) == ""


def test_types_of_other_answers_are_what_the_server_sends(
    engineer: Engineer, phone: Phone, tmp_path: Path
) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())
    results = [
        phone.say("en_route", job, {"position": POSITION}),
        phone.say("answered", job, {"question": "", "value": 1}),
    ]
    answers = {
        "SyncResult[]": results,
        "StoredPositions": phone.json("/phone/positions.json"),
        "VendorFile": phone.json("/phone/vendors.json"),
    }

    assert type_errors(answers, folder=tmp_path) == ""


@pytest.mark.parametrize(
    "choice", [{"code": "yes"}, {"code": "yes", "text": 1}, {"code": "", "text": "", "more": 1}]
)
def test_value_of_another_shape_is_an_error(tmp_path: Path, choice: dict[str, object]) -> None:
    assert "error TS" in type_errors({"Choice": choice}, folder=tmp_path)
