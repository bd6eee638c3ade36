"""Photos that cannot be kept raise an alarm; the next one that is stored clears it."""

import pytest
from pytest_django import Settings

from config.storage import evidence_storage
from dispatch.states import JobState
from monitoring.alarms import open_alarms, text_of
from monitoring.models import AlarmKind
from tests import make

pytestmark = pytest.mark.django_db


def test_alarm_lasts_until_a_photo_is_stored(settings: Settings) -> None:
    job, sound = make.job(at_state=JobState.ON_SITE), settings.STORAGES
    settings.STORAGES = {**sound, "evidence": evidence_storage("file:///proc/full")}
    for _ in range(2):
        with pytest.raises(OSError, match="/proc/full"):
            make.photo(job, question_code="PHO01")

    (alarm,) = open_alarms()
    assert (alarm.kind, alarm.subject) == (AlarmKind.EVIDENCE_UNAVAILABLE, "evidence")
    assert str(text_of(alarm)).startswith("Photos can't be stored (FileNotFoundError).")

    settings.STORAGES = sound
    make.photo(job, question_code="PHO01")
    assert not open_alarms().exists()
