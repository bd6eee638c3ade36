"""The simulated phone, at our own pages."""

import pytest
from pytest_django.live_server_helper import LiveServer

from demo.rehearsal.app_client import HttpSession, PhoneClient
from dispatch.states import JobState
from engineers.models import LastSync
from phone import pwa
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)


def test_simulated_phone_names_the_version_of_its_page(live_server: LiveServer) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    engineer = job.visits.get().engineer
    browser = HttpSession(live_server.url)
    browser.sign_in(username=engineer.user.username, password=make.PASSWORD)

    PhoneClient(browser).say("en_route", str(job), position={"missing_because": "not_given"})

    assert LastSync.objects.get(engineer=engineer).version == pwa.version()
