"""Filters under a name: kept for the person on every computer, shared by a tick, one for each name, at most twenty."""

import pytest
from django.test import Client

from background.erasure import erase_customer
from board.models import FilterPage, SavedFilter
from board.saved_filters import MAX_SAVED, list_filters, save_filter
from dispatch.states import JobState
from engineers.models import Role, User
from seller_link.models import OutboundMessage
from tests import make
from tests.board.office import JSON, signed_in
from tests.together import at_once

pytestmark = pytest.mark.django_db
QUERY = "first=2026-11-01&last=2026-11-30&by=area"


@pytest.fixture
def dana() -> User:
    return make.dispatcher()


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def keep(client: Client, name: str = "November", **fields: str) -> None:
    asked = {"page": "reports", "name": name, "query": QUERY, "next": "/board/reports/", **fields}
    assert client.post("/board/saved-filters/", asked)["Location"] == "/board/reports/"


def names_for(user: User, page: FilterPage = FilterPage.REPORTS) -> list[tuple[str, str]]:
    return [(line.name, line.by) for line in list_filters(user, page)]


def test_filter_is_there_in_the_next_session_and_for_nobody_else(dana: User) -> None:
    keep(client_of(dana), query=f"{QUERY}&next=//evil")

    (line,) = client_of(dana).get("/board/reports/").context["page"].saved
    assert (line.name, line.query, line.is_shared, line.by) == ("November", QUERY, False, "")
    assert signed_in().get("/board/reports/").context["page"].saved == []
    assert f'href="?{QUERY.replace("&", "&amp;")}"' in client_of(dana).get("/board/reports/").content.decode()


def test_same_name_replaces_and_each_page_has_its_own(dana: User) -> None:
    client = client_of(dana)
    keep(client)
    keep(client, query="by=engineer")
    keep(client, page="board", query="skill=CHP&risk=late&by=area")

    assert list(SavedFilter.objects.order_by("page").values_list("page", "query")) == [
        ("board", "skill=CHP&risk=late"),
        ("reports", "by=engineer"),
    ]


def test_shared_filter_is_seen_by_the_office_and_changed_by_its_owner_only(dana: User) -> None:
    keep(client_of(dana), is_shared="1")
    other, saved = make.dispatcher(), SavedFilter.objects.get()

    assert names_for(other) == [("November", "Dana Dispatch")]
    client_of(other).post(f"/board/saved-filters/{saved.pk}/", {"delete": "1"})
    client_of(other).post(f"/board/saved-filters/{saved.pk}/", {"name": "Mine"})
    assert names_for(dana) == [("November", "")]

    client_of(dana).post(f"/board/saved-filters/{saved.pk}/", {"name": "Autumn"})
    assert (names_for(other), names_for(dana)) == ([], [("Autumn", "")])
    for _ in range(2):
        client_of(dana).post(f"/board/saved-filters/{saved.pk}/", {"delete": "1"})
    assert names_for(dana) == []


def test_auditor_keeps_filters_and_shares_none(dana: User) -> None:
    ada = make.dispatcher(role=Role.AUDITOR)
    client = client_of(ada)

    keep(client, "Mine")
    keep(client, "Ours", is_shared="1")

    assert names_for(ada) == [("Mine", "")]
    assert names_for(dana) == []
    page = client.get("/board/reports/").content.decode()
    assert "Your role only reads: keep the filter for yourself." in page
    assert "Show it to the whole office" not in page


def test_filters_of_a_suspended_colleague_are_gone(dana: User) -> None:
    keep(client_of(dana), is_shared="1")
    User.objects.filter(pk=dana.pk).update(is_active=False)

    assert names_for(make.dispatcher()) == []


def test_name_that_is_taken_or_missing_changes_nothing(dana: User) -> None:
    client = client_of(dana)
    keep(client)
    keep(client, "December")
    keep(client, " ")
    december = SavedFilter.objects.get(name="December")

    page = client.post(f"/board/saved-filters/{december.pk}/", {"name": "November"}, follow=True)

    assert "You already have a filter called November." in page.content.decode()
    assert names_for(dana) == [("December", ""), ("November", "")]


def test_number_is_limited_and_a_known_name_still_replaces(dana: User) -> None:
    for number in range(MAX_SAVED):
        save_filter(user=dana, page=FilterPage.BOARD, name=f"{number}", query="risk=late", is_shared=False)
    client = client_of(dana)
    asked = {"page": "board", "name": "One more", "query": "risk=late"}

    refused = client.post("/board/saved-filters/", asked, headers=JSON).json()
    replaced = client.post("/board/saved-filters/", {**asked, "name": "3"}, headers=JSON).json()

    assert (refused["ok"], "Delete one first." in refused["html"]) == (False, True)
    assert (replaced["ok"], SavedFilter.objects.count()) == (True, MAX_SAVED)


def test_account_that_is_deleted_takes_its_filters_along(dana: User) -> None:
    keep(client_of(dana))
    dana.delete()

    assert not SavedFilter.objects.exists()


def test_customer_who_is_erased_is_in_no_filter(dana: User) -> None:
    keep(client_of(dana), "Pat Tester's street", page="board", query="text=Chapel")
    keep(client_of(dana), "Lifts", page="board", query="skill=CHP")
    make.job(at_state=JobState.CANCELLED)
    OutboundMessage.objects.all().delete()

    erase_customer("07700 900456")

    assert names_for(dana, FilterPage.BOARD) == [("Lifts", "")]


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_make_one_filter(dana: User) -> None:
    def press() -> None:
        save_filter(user=dana, page=FilterPage.BOARD, name="Lifts", query="skill=CHP", is_shared=False)

    at_once(press, press, press)

    assert SavedFilter.objects.get().query == "skill=CHP"
