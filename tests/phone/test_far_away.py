"""Somebody who says "on site" far from the premises is asked to check the job, and never stopped."""

import pytest
from django.utils import timezone

from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.phone.phone import Phone

PREMISES = (53.8008, -1.5491)


def notices(phone: Phone, job: Job, **position: float) -> list[dict[str, str]]:
    Job.objects.filter(pk=job.pk).update(latitude=PREMISES[0], longitude=PREMISES[1])
    result = phone.say("on_site", job, {"position": position or {"missing_because": "permission_refused"}})
    assert result["outcome"] == "applied"
    (job_carried,) = phone.json("/phone/day.json")["jobs"]
    return [notice for notice in job_carried["notices"] if notice["rule"] == "far_from_premises"]


@pytest.mark.parametrize(
    ("latitude", "longitude", "accuracy", "distance"),
    [
        (51.48, -3.18, 12.0, "281 km"),
        (53.8108, -1.5491, 12.0, "1.1 km"),
    ],
)
def test_far_from_the_premises_is_a_notice(
    phone: Phone, latitude: float, longitude: float, accuracy: float, distance: str
) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=phone.engineer, day=timezone.localdate())
    (found,) = notices(phone, job, latitude=latitude, longitude=longitude, accuracy_metres=accuracy)

    assert found["words"].startswith(f"You tapped “I'm on site” {distance} from the premises.")


@pytest.mark.parametrize(
    "position",
    [
        {"latitude": 53.8040, "longitude": -1.5491, "accuracy_metres": 12.0},
        # a weak fix proves nothing
        {"latitude": 53.8108, "longitude": -1.5491, "accuracy_metres": 900.0},
        {},
    ],
)
def test_near_or_unknown_is_not(phone: Phone, position: dict[str, float]) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=phone.engineer, day=timezone.localdate())

    assert notices(phone, job, **position) == []
