"""Whatever page of the office names an engineer, a job or a message links it to its page."""

from collections.abc import Callable
from http import HTTPStatus

import pytest
from django.test import Client
from django.urls import resolve
from django.utils.html import strip_tags

from board.links import engineer_links, job_link, link_text
from engineers.models import Role
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from tests import make
from tests.board import busy_day
from tests.board.busy_day import DAY, BusyDay
from tests.board.office import signed_in, submit
from tests.board.test_message_list import inbound
from tests.board.unlinked_names import unlinked
from tests.conventions.test_access import ALL, PARAMETER

pytestmark = pytest.mark.django_db

PAGES: dict[str, str | Callable[[BusyDay], str]] = {
    "board": f"/board/?day={DAY}",
    "panel of a job": lambda day: f"/board/?day={DAY}&job={day.on_site}&unfit=1",
    "panel of a waiting job": lambda day: f"/board/?day={DAY}&job={day.waiting}&unfit=1",
    "panel of an engineer": lambda day: f"/board/?day={DAY}&engineer={day.anna.staff_number}",
    "attention": "/board/alarms/",
    "pattern": lambda _day: f"/board/alarms/{open_alarms().get(kind=AlarmKind.NETWORK_PATTERN).pk}/jobs/",
    "search": "/board/search?q=leeds",
    "search for an engineer": "/board/search?q=anna",
    "suggestions": "/board/search/suggestions?q=anna",
    "messages": "/board/messages/",
    "stuck": "/board/messages/stuck/",
    "messages to customers": busy_day.customer_message,
    "replays": "/board/replays/",
    "replay preview": lambda day: f"/board/replays/new/?message={day.held.pk}",
    "replay": busy_day.replay,
    "reconcile": "/board/reconcile/",
    "API": "/board/api-docs/",
    "reports": "/board/reports/?first=2026-11-01&last=2026-11-30&by=engineer",
    "day sheets": f"/board/day-sheets/?day={DAY}",
    "people": "/board/people/",
    "areas": "/board/people/areas/",
    "area": busy_day.area,
    "skills": "/board/people/skills/",
    "skill": busy_day.skill,
    "accounts": "/board/people/accounts/",
    "roles": "/board/people/roles/",
    "plans": "/board/plans/",
    "plan": busy_day.proposal,
    "plan on the board": lambda day: f"{busy_day.proposal(day)}board/",
    "capacity": "/board/plans/capacity/",
    "learned lengths": "/board/plans/learned/",
    "replan": "/board/plans/replan/",
    "comparison": busy_day.comparison,
    "evidence pack": busy_day.evidence_pack,
    "flags": "/board/flags/",
    "offline import": "/board/offline-import/",
    "status": "/board/status/",
}
# a page about one of them: its own name needs no link to this same page
OWN_PAGES: dict[str, Callable[[BusyDay], tuple[str, ...]]] = {
    "job on site": lambda day: (
        f"/board/jobs/{day.on_site}/?unfit=1",
        str(day.on_site),
        day.on_site.postcode,
    ),
    "assigned job": lambda day: (f"/board/jobs/{day.assigned}/", str(day.assigned), day.assigned.postcode),
    "cancelled job": lambda day: (f"/board/jobs/{day.cancelled}/", str(day.cancelled), day.waiting.postcode),
    "waiting job": lambda day: (
        f"/board/jobs/{day.waiting}/?unfit=1",
        str(day.waiting),
        day.waiting.postcode,
    ),
    "stop of a job's messages": lambda day: (
        f"/board/jobs/{day.on_site}/messages/stop/",
        str(day.on_site),
        day.on_site.postcode,
    ),
    "message": lambda day: (f"/board/messages/{day.held.message_id}/", str(day.held.message_id)),
    "message of the seller": lambda day: (
        f"/board/messages/in/{(message := inbound(day.on_site)).pk}/",
        str(message.message_id),
    ),
    "engineer": lambda day: (f"/board/people/{day.anna.pk}/", day.anna.name),
}
# forms about one engineer, and what only leads on to another page
WITHOUT_NAMES = {
    "board/people/accounts/<int:pk>/",
    # a record of numbers and user names, some of which are no more
    "board/audit/",
    "board/matrix/",
    "board/open-day/",
    "board/alarms/engineer/",
    "board/people/new/",
    "board/people/<int:pk>/edit/",
    "board/people/import/",
    "board/people/areas/import/",
    # addresses of people and systems outside of the board
    "board/alarms/contacts/",
    "board/interfaces/",
}


def complaints(day: BusyDay, address: str, *own: str) -> str:
    """Names without a link, one a line; `own`: what the page is about."""
    page = day.client.get(address, follow=True)
    assert page.status_code == HTTPStatus.OK, address
    return "\n".join(unlinked(page.content.decode(), day.names, own=own))


@pytest.mark.parametrize("name", PAGES)
def test_page_links_what_it_names(name: str, day: BusyDay) -> None:
    address = PAGES[name]

    assert complaints(day, address if isinstance(address, str) else address(day)) == ""


@pytest.mark.parametrize("name", OWN_PAGES)
def test_page_about_one_of_them_links_the_others(name: str, day: BusyDay) -> None:
    address, *own = OWN_PAGES[name](day)

    assert complaints(day, address, *own) == ""


def test_week_links_its_engineers(day: BusyDay) -> None:
    day.client.post("/board/view/", {"span": "week"})

    assert complaints(day, f"/board/?day={DAY}") == ""


def test_differences_link_what_they_name(day: BusyDay) -> None:
    html = busy_day.differences(day)

    assert "is missing" in html
    assert unlinked(html, {*day.names, day.on_site.seller_job_id, day.assigned.seller_job_id}) == []


def test_notice_of_a_change_links_the_job_and_the_engineer(day: BusyDay) -> None:
    submit(day.client, day.waiting, "hold", reason="Node is down")
    released, undone = (day.client.post("/board/undo/", follow=True).content.decode() for _step in range(2))

    assert "Undone. LS6 3AB is no longer on hold." in strip_tags(released)
    assert "Undone. LS6 3AB is again assigned to Bela Ont" in strip_tags(undone)
    assert unlinked(released, day.names) == []
    assert unlinked(undone, day.names) == []


def test_refused_change_links_the_job(day: BusyDay) -> None:
    refused = submit(day.client, day.on_site, "close", code="", remarks="")

    assert (refused.status_code, unlinked(refused.content.decode(), day.names)) == (400, [])


def test_refused_assignment_links_the_engineer_whom_it_names(day: BusyDay) -> None:
    wanted = {"engineer": day.anna.staff_number, "starts_at": make.at("09:00").isoformat()}
    html = submit(day.client, day.assigned, "assign", **wanted).content.decode()

    assert "Anna Fibre already has a visit at LS6 3AB" in strip_tags(html)
    assert unlinked(html, {day.anna.name, day.bela.name}) == []


def test_every_page_of_the_office_is_looked_at(day: BusyDay) -> None:
    supervisor = Client()
    supervisor.force_login(make.dispatcher(role=Role.SUPERVISOR), "engineers.permissions.RoleBackend")
    addresses = [page if isinstance(page, str) else page(day) for page in PAGES.values()]
    addresses += [page(day)[0] for page in OWN_PAGES.values()]
    looked_at = {resolve(address.split("?")[0]).route for address in addresses} | WITHOUT_NAMES
    pages = {address.route for address in ALL if address.route.startswith("board/")}

    assert {route for route in pages - looked_at if is_page(supervisor, route, day)} == set()


def is_page(client: Client, route: str, day: BusyDay) -> bool:
    """Whether the address answers a GET with a page at all; addresses of others than this job are not there."""
    address = "/" + PARAMETER.sub(lambda found: str(day.on_site) if found[1] == "job_id" else "1", route)
    answer = client.get(address)
    return answer.status_code == HTTPStatus.OK and answer["Content-Type"].startswith("text/html")


def test_unlinked_name_is_found() -> None:
    html = "<body><p>Closed by Anna Fibre (Annabel Fibres), LS6 3AB.</p></body>"

    assert unlinked(html, ["Anna Fibre", "LS6 3AB", "Bela Ont"]) == [
        "Anna Fibre: Closed by Anna Fibre (Annabel Fibres), LS6 3AB.",
        "LS6 3AB: Closed by Anna Fibre (Annabel Fibres), LS6 3AB.",
    ]


@pytest.mark.parametrize(
    "html",
    [
        '<p>Closed by <a href="/x">Anna Fibre</a>, <a href="/y"><b>LS6 3AB</b></a></p>',
        "<p>12 Chapel Row, Leeds, LS6 3AB</p>",
        "<button>LS6 3AB</button><select><option>Anna Fibre</option></select><pre>Anna Fibre</pre>",
        '<section id="pack"><dd>LS6 3AB</dd></section><p>LS6 3ABC</p>',
    ],
)
def test_linked_name_and_the_exceptions_are_fine(html: str) -> None:
    assert unlinked(html, ["Anna Fibre", "LS6 3AB"]) == []


def test_sentence_is_escaped_and_its_names_are_links() -> None:
    links = (*engineer_links("Kim", "Kim <O'Hara>"), job_link("J-ABCD-1234", title="LS6 3AB"))

    html = link_text("<b>LS6 3AB</b>, J-ABCD-1234: Kim <O'Hara> & Kim, not Kimberley", links)

    job, name = '<a href="/board/jobs/J-ABCD-1234/">', "Kim &lt;O&#x27;Hara&gt;"
    assert html == (
        f"&lt;b&gt;{job}LS6 3AB</a>&lt;/b&gt;, {job}J-ABCD-1234</a>: "
        f'<a href="/board/alarms/engineer/?name=Kim+%3CO%27Hara%3E">{name}</a> &amp; '
        '<a href="/board/alarms/engineer/?name=Kim">Kim</a>, not Kimberley'
    )


def test_message_id_in_a_sentence_leads_to_the_log() -> None:
    number = "262d4b77-b881-4e23-b335-6380e2478988"

    assert (
        link_text(f"{number} is missing")
        == f'<a href="/board/messages/?text={number}">{number}</a> is missing'
    )


def test_engineer_of_a_link_is_found_by_the_name() -> None:
    erin, client = make.engineer(name="Erin O'Hara"), signed_in()
    (link,) = engineer_links(erin.name, "", None)

    assert client.get(link.url)["Location"] == f"/board/people/{erin.pk}/"
