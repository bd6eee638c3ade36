"""What a script gets from the buttons of panel and Attention list: the messages that the next page would show."""

import pytest
from django.test import Client

from dispatch.states import JobState
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from tests import make
from tests.board.office import JSON, press, signed_in

pytestmark = pytest.mark.django_db
DAY = make.DAY.isoformat()
IN_PLACE = {"in_place": "1"}


def messages_left(client: Client) -> int:
    return len(list(client.get("/board/").context["messages"]))


def test_second_press_on_an_alarm_says_who_handles_it() -> None:
    job, client = make.job(), signed_in()
    text = coded_text("message_held", address=job.address, job=job.provider_job_id, reason="400")
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, job.provider_job_id, text)
    address = f"/board/alarms/{alarms.open_alarms().get().pk}/acknowledge/"

    first, second = (client.post(address, IN_PLACE, headers=JSON).json() for _ in range(2))

    assert first == {"ok": True}
    assert [message["level"] for message in second["messages"]] == ["info"]
    assert "Dana Dispatch" in second["messages"][0]["html"]
    # what the script has shown is not shown again by the next page
    assert messages_left(client) == 0


def test_hold_that_is_there_already_is_named_with_its_link() -> None:
    job, client = make.job(), signed_in()
    press(client, job, "hold", reason="Wait")

    (message,) = press(client, job, "hold", reason="Wait", **IN_PLACE).json()["messages"]

    assert message == {
        "level": "success",
        "html": f'<a href="/board/jobs/{job.provider_job_id}/">LS6 3AB</a> is on hold.',
    }


def test_absence_and_swap_answer_a_script() -> None:
    erin, fred, client = make.engineer(name="Erin <b>"), make.engineer(name="Fred Free"), signed_in()
    times = {"starts_at": f"{DAY}T00:00", "ends_at": f"{DAY}T23:59", "reason": "Flu", **IN_PLACE}
    path = f"/board/engineers/{erin.staff_number}"

    absent = client.post(f"{path}/absent/", times, headers=JSON)
    gone = client.post(f"{path}/absent/take-back/", {"action": "0", "day": DAY, **IN_PLACE}, headers=JSON)
    swapped = client.post(f"{path}/swap/", {"other": fred.staff_number, "day": DAY, **IN_PLACE}, headers=JSON)

    assert (absent.json(), gone.json()["messages"][0]["level"]) == ({"ok": True}, "info")
    assert "Erin &lt;b&gt;" in swapped.json()["messages"][0]["html"]


def test_form_without_a_script_leads_to_the_next_page() -> None:
    erin = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=erin)
    times = {"starts_at": f"{DAY}T00:00", "ends_at": f"{DAY}T23:59"}

    answer = signed_in().post(f"/board/engineers/{erin.staff_number}/absent/", times)

    assert answer.headers["Location"] == f"/board/?day={DAY}&engineer={erin.staff_number}"
