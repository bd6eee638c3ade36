"""Every address, opened by nobody, both engineers and each role of the office: who may come in, who may change."""

import re
import uuid
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import DjangoDbBlocker

from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Role, User
from phone import pwa as application
from tests import make
from tests.rolled_back import rolled_back, rolled_back_after_module

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
# Django's own pages behind Django's own log-in: looked at below
DJANGO_S_OWN = "admin/"
ANYBODY = "anybody"
# programs of the partner's: no session opens these
BY_TOKEN = "access token"
# a value for every name that stands in an address; a new name needs a line here
SAMPLES: dict[str, Callable[[Job], str]] = {
    "job_id": lambda job: job.provider_job_id,
    "staff_number": lambda _job: "E-unknown",
    "photo_id": lambda _job: str(uuid.UUID(int=7)),
    "pack_id": lambda _job: str(uuid.UUID(int=7)),
    "message_id": lambda _job: str(uuid.UUID(int=7)),
    "pk": lambda _job: "1",
    "key": lambda _job: "figures",
    "code": lambda _job: "SAF01",
    "role": lambda _job: "planner",
    "step": lambda _job: "travel",
    "action": lambda _job: "seen",
    "token": lambda _job: "no-such-token",
    "number": lambda job: job.provider_job_id,
    "kind": lambda _job: "jobs",
    "file_format": lambda _job: "csv",
    "address": lambda _job: "no/such/address",
}


@dataclass(frozen=True)
class Address:
    route: str
    opened_by: str
    view: object = None
    changed_by: str = ""

    @property
    def roles(self) -> set[str]:
        return set(self.opened_by.split("+"))

    @property
    def is_about_a_job(self) -> bool:
        """Whether it answers with a job's data. The application's frame is the same at the address of every job
        (tests/phone/test_application.py)."""
        return "job_id" in PARAMETER.findall(self.route) and self.view != application.page

    def path(self, job: Job) -> str:
        return "/" + PARAMETER.sub(lambda found: SAMPLES[found.group(1)](job), self.route)


def addresses(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[Address]:
    for pattern in patterns:
        route = f"{prefix}{pattern.pattern}"
        if route.startswith(DJANGO_S_OWN):
            continue
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        else:
            view = pattern.callback
            yield Address(route, getattr(view, "opened_by", ""), view, getattr(view, "changed_by", ""))


ALL = list(addresses(get_resolver("config.urls").url_patterns))
OFF_UNTIL_SET = {"sign-in/company/", "sign-in/company/callback/", "password/forgotten/"}
GUARDED = [address for address in ALL if address.opened_by not in {ANYBODY, BY_TOKEN}]
OWN_JOBS = [address for address in GUARDED if address.is_about_a_job and address.roles == {Role.ENGINEER}]


@dataclass(frozen=True)
class Fixtures:
    """A job under way with its engineer, and everybody who may try a door."""

    job: Job
    people: dict[str, User]

    def client(self, who: str) -> Client:
        client = Client()
        if who:
            client.force_login(self.people[who], "engineers.permissions.RoleBackend")
        return client

    def post(self, who: str, address: Address, *, accept: str = "text/html") -> HttpResponse:
        return self.client(who).post(address.path(self.job), headers={"Accept": accept})

    def open(self, who: str, address: Address, *, accept: str = "text/html") -> HttpResponse:
        """GET, or POST where an address takes nothing else."""
        client, path = self.client(who), address.path(self.job)
        answer = client.get(path, headers={"Accept": accept})
        if answer.status_code != 405:
            return answer
        verb = answer.headers["Allow"].split(",")[0].strip()
        return client.generic(verb, path, "{}", "application/json", headers={"Accept": accept})


@pytest.fixture(scope="module")
def fixtures_of_module(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Fixtures]:
    """Made once: to make them took longer than to try a door."""
    with rolled_back_after_module(django_db_blocker):
        yield make_fixtures()


@pytest.fixture
def fixtures(fixtures_of_module: Fixtures, db: None) -> Fixtures:
    """As they were made; what a test changes is undone after it."""
    return deepcopy(fixtures_of_module)


def make_fixtures() -> Fixtures:
    own, other = make.engineer(username="own"), make.engineer(username="other")
    people = {
        "engineer": own.user,
        "another engineer": other.user,
        **{role.value: make.dispatcher(role=role) for role in Role if role != Role.ENGINEER},
    }
    return Fixtures(make.job(at_state=JobState.ASSIGNED, to=own), people)


def route_of(address: Address) -> str:
    return f"/{address.route}"


def test_every_parameter_has_a_sample() -> None:
    named = {name for address in ALL for name in PARAMETER.findall(address.route)}

    assert sorted(named - set(SAMPLES)) == []


@pytest.mark.parametrize("address", GUARDED, ids=route_of)
def test_unknown_visitor_is_sent_to_the_log_in_and_a_strange_program_gets_401(
    fixtures: Fixtures, address: Address
) -> None:
    path = address.path(fixtures.job)

    visitor = fixtures.client("").get(path)
    program = fixtures.client("").get(path, headers={"Accept": "application/json"})

    assert (visitor.status_code, visitor.headers["Location"].split("?")[0]) == (302, "/login/")
    assert program.status_code == 401


@pytest.mark.parametrize("address", GUARDED, ids=route_of)
def test_address_opens_for_its_roles_and_for_no_other(fixtures: Fixtures, address: Address) -> None:
    answers: dict[str, HttpResponse] = {}
    for role in Role:
        with rolled_back():
            answers[role] = fixtures.open(role, address)

    assert {role for role, answer in answers.items() if answer.status_code != 403} == address.roles
    assert [role for role, answer in answers.items() if answer.status_code >= 500] == []
    sent_to_log_in = [
        role for role, answer in answers.items() if answer.headers.get("Location", "").startswith("/login/")
    ]
    # whoever ends the own sessions is signed out
    assert address.route == "sessions/end/" or sent_to_log_in == []


# what belongs to the person alone: the view of the board, saved filters, at which job they are
OWN = {"board/view/", "board/presence/", "board/saved-filters/", "board/saved-filters/<int:pk>/"}
# password, second factor and language are everybody's own: there engineers come in, too
OF_OFFICE = [address for address in GUARDED if Role.ENGINEER not in address.roles]
CHANGING = [address for address in OF_OFFICE if address.changed_by]


@pytest.mark.parametrize("address", [a for a in CHANGING if a.route not in OWN], ids=route_of)
def test_auditor_changes_nothing_and_gets_the_reason(fixtures: Fixtures, address: Address) -> None:
    answer = fixtures.post("auditor", address)
    refusal = fixtures.post("auditor", address, accept="application/json").json()

    assert (answer.status_code, refusal["ok"]) == (403, False)
    sentence = "Your role may not do this: "
    assert sentence in answer.content.decode()
    assert refusal["problems"][0]["message"].startswith(sentence)


@pytest.mark.parametrize("address", [a for a in OF_OFFICE if not a.changed_by], ids=route_of)
def test_page_that_only_reads_takes_nothing(fixtures: Fixtures, address: Address) -> None:
    assert {fixtures.post(who, address).status_code for who in ("auditor", "supervisor")} == {405}


def test_every_address_of_the_office_that_changes_something_names_a_right() -> None:
    everybody = "+".join(sorted(set(Role) - {Role.ENGINEER}))

    assert {a.route for a in CHANGING if a.changed_by == everybody} <= OWN


@pytest.mark.parametrize("address", OWN_JOBS, ids=route_of)
def test_another_engineer_s_job_is_not_there(fixtures: Fixtures, address: Address) -> None:
    own, other = fixtures.open("engineer", address), fixtures.open("another engineer", address)

    assert (own.status_code == 404, other.status_code) == (False, 404)


@pytest.mark.parametrize(
    "address", [address for address in ALL if address.opened_by == ANYBODY], ids=route_of
)
def test_open_address_answers_without_a_session(fixtures: Fixtures, address: Address) -> None:
    answer = fixtures.open("", address)

    if address.route == "readyz":
        # it opens for anybody, and says that no relay runs here
        assert (answer.status_code, answer.json()["parts"]["relay"]) == (503, "no relay heartbeat found")
        return
    # an address that carries its own key shows nothing without the right one; the others are off until they are set
    is_closed = "token" in address.route or address.route in OFF_UNTIL_SET
    assert answer.status_code == 404 if is_closed else answer.status_code < 400


@pytest.mark.parametrize("who", ["", "engineer", "supervisor"])
@pytest.mark.parametrize(
    "address", [address for address in ALL if address.opened_by == BY_TOKEN], ids=route_of
)
def test_address_for_programs_opens_with_a_token_only(fixtures: Fixtures, address: Address, who: str) -> None:
    answer = fixtures.client(who).get(address.path(fixtures.job))

    assert (answer.status_code, answer.headers["Content-Type"]) == (401, "application/problem+json")


@pytest.mark.parametrize(
    ("who", "status"),
    [("", 302), ("engineer", 302), ("another engineer", 302), ("auditor", 302), ("supervisor", 200)],
)
def test_admin_is_for_the_supervisor(fixtures: Fixtures, who: str, status: int) -> None:
    assert fixtures.client(who).get("/admin/").status_code == status


def test_walk_finds_the_addresses() -> None:
    assert {address.route.split("/")[0] for address in ALL} >= {"", "login", "logout", "board", "phone"}
