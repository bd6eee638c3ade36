"""The sentence about who changed a plan that a dispatcher still sees."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import translation

from dispatch.plan_changes.plan_versions import last_change
from dispatch.states import JobState
from engineers.moment_texts import format_day
from tests import make

pytestmark = pytest.mark.django_db


def test_change_of_another_day_is_named_with_its_day_in_each_language() -> None:
    with time_machine.travel(make.at("10:41"), tick=False):
        job = make.job(at_state=JobState.ASSIGNED)
        assert last_change(job).endswith(" assigned this job to Erin Engineer at 10:41.")

    with time_machine.travel(make.at("08:00") + timedelta(days=1)):
        ending = f" assigned this job to Erin Engineer on {format_day(make.DAY)} at 10:41."
        assert last_change(job).endswith(ending)
        with translation.override("de"):
            assert f" am {format_day(make.DAY)} um 10:41 " in last_change(job)
