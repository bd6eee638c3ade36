"""What a form refuses is linked from its summary, and each field names its own problem and hint."""

import pytest
from django.test import Client

from engineers.models import Area, Role
from engineers.sign_in import sign_in_links
from tests import make
from tests.board.test_corrections import held, send, without
from tests.board.test_people import client_of, form
from tests.engineers.test_second_factor import set_up, sign_in, wrong_code
from tests.page_elements import element, missing_ids

pytestmark = pytest.mark.django_db


@pytest.fixture
def ruth() -> Client:
    Area.objects.create(name="North", postcodes="LS6")
    Area.objects.create(name="South", postcodes="LS11")
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


def html_of(client: Client, path: str, sent: dict[str, object] | None = None) -> str:
    answer = client.get(path) if sent is None else client.post(path, sent)
    return answer.content.decode()


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/board/people/accounts/", None),
        ("/board/people/accounts/new/", {"name": "", "areas": ["Nowhere"]}),
        ("/board/people/new/", None),
        ("/board/people/new/", form(further_areas=["Nowhere"], hours_1_0="x", username="")),
        ("/board/interfaces/", None),
        ("/board/interfaces/tokens/", {"name": ""}),
        ("/board/interfaces/webhooks/", {"name": ""}),
        ("/board/alarms/contacts/", None),
        ("/board/alarms/contacts/new/", {"name": ""}),
        ("/password/", {"old_password": "x", "new_password1": "y", "new_password2": "z"}),
        ("/password/", None),
    ],
)
def test_what_a_form_names_is_on_its_page(ruth: Client, path: str, sent: dict[str, object] | None) -> None:
    html = html_of(ruth, path, sent)

    assert "<form" in html
    assert missing_ids(html) == set()


def test_group_of_areas_has_its_name_and_problem(ruth: Client) -> None:
    html = html_of(ruth, "/board/people/accounts/new/", {"name": "", "areas": ["Nowhere"]})

    tag, attributes = element(html, "id_areas")
    assert (tag, attributes["aria-describedby"]) == ("fieldset", "id_areas_helptext id_areas_error")
    assert "<legend>Only these areas</legend>" in html
    assert '<a href="#id_areas">' in html


def test_fields_of_the_sign_in_pages_name_their_problem() -> None:
    user = make.engineer(username="erin").user
    path = f"/start/{sign_in_links.issue(user=user, by=make.dispatcher(role=Role.SUPERVISOR)).secret}/"
    for html in (
        html_of(Client(), "/login/"),
        html_of(Client(), "/login/", {"username": "erin", "password": "wrong"}),
        html_of(Client(), path),
        html_of(Client(), path, {"new_password1": "a", "new_password2": "b"}),
    ):
        assert missing_ids(html) == set()

    refused = html_of(Client(), "/login/", {"username": "erin", "password": "wrong"})
    for name in ("id_username", "id_password"):
        assert element(refused, name)[1].get("aria-invalid") == "true"
        assert element(refused, name)[1].get("aria-describedby") == "sign-in-problem"
    short = html_of(Client(), path, {"new_password1": "a", "new_password2": "a"})
    assert "id_new_password2_error" in element(short, "id_new_password2")[1]["aria-describedby"]


def test_code_names_its_problem() -> None:
    user = make.dispatcher(username="dana")
    set_up(user)
    html = html_of(sign_in(user), "/second-factor/", {"code": wrong_code(user)})

    attributes = element(html, "code")[1]
    assert (attributes.get("aria-invalid"), attributes.get("aria-describedby")) == ("true", "code-problem")
    assert missing_ids(html) == set()


@pytest.mark.parametrize(
    ("is_reason_missing", "wrong", "right"), [(True, "reason", "body"), (False, "body", "reason")]
)
def test_problem_of_a_correction_is_at_its_field(is_reason_missing: bool, wrong: str, right: str) -> None:
    message = held()
    body = (
        {**message.body, "engineer": {"id": "E9"}} if is_reason_missing else without(message.body, "engineer")
    )

    html = send(message, body, reason="" if is_reason_missing else "The plan was wrong").content.decode()

    assert element(html, wrong)[1].get("aria-invalid") == "true"
    assert element(html, wrong)[1].get("aria-describedby") == f"{wrong}-problem"
    assert "aria-invalid" not in element(html, right)[1]
    assert missing_ids(html) == set()


def test_missing_reason_of_a_replay_is_at_its_field() -> None:
    html = html_of(client_of(make.dispatcher()), "/board/replays/new/", {"message": held().pk, "reason": " "})

    attributes = element(html, "reason")[1]
    assert (attributes.get("aria-invalid"), attributes.get("aria-describedby")) == ("true", "reason-problem")
