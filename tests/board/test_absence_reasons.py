"""The reason of an absence that is entered a second time: taken, or refused, and never dropped without a word."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from engineers.models import Absence, AuditEntry, Engineer, Role
from tests import make
from tests.board.office import JSON
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
DAY = make.DAY.isoformat()
Enter = Callable[[Client, Engineer, str], tuple[int, str]]
REFUSAL = "An absence with these times is stored with another reason."


@pytest.fixture
def ruth() -> Client:
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


def on_page(client: Client, engineer: Engineer, reason: str) -> tuple[int, str]:
    sent = {"first_day": DAY, "reason": reason}
    answer = client.post(f"/board/people/{engineer.pk}/absences/", sent, follow=True)
    return answer.status_code, answer.content.decode()


def on_board(client: Client, engineer: Engineer, reason: str) -> tuple[int, str]:
    times = {"starts_at": f"{DAY}T00:00", "ends_at": f"{make.DAY + timedelta(days=1)}T00:00"}
    path = f"/board/engineers/{engineer.staff_number}/absent/"
    answer = client.post(path, {**times, "reason": reason}, headers=JSON)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize("enter", [on_page, on_board])
def test_reason_of_the_second_time_is_taken_or_refused(ruth: Client, enter: Enter) -> None:
    erin = make.engineer()
    found = []
    for reason in ("", "Flu", "Flu", "", "Course"):
        status, text = enter(ruth, erin, reason)
        found.append((status, Absence.objects.get().reason, REFUSAL in text))

    assert found == [
        (200, "", False),
        (200, "Flu", False),
        (200, "Flu", False),
        (200, "Flu", False),
        (409, "Flu", True),
    ]
    actions = AuditEntry.objects.filter(action__startswith="absence_").order_by("pk")
    assert [*actions.values_list("action", flat=True)] == ["absence_added", "absence_reason_added"]


def test_second_supervisor_reads_that_the_absence_was_entered_before(ruth: Client) -> None:
    erin, second = make.engineer(), client_of(make.dispatcher(username="sam", role=Role.SUPERVISOR))

    _, first_text = on_page(ruth, erin, "")
    _, second_text = on_page(second, erin, "")

    assert "Absence added: Mon 23 Nov." in first_text
    assert "This absence was entered before: Mon 23 Nov." in second_text
    assert "Absence added" not in second_text
