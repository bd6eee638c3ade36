"""A dispatcher who is limited to York sees and changes nothing of Leeds, on no page and at no address."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from board import presence
from board.alarms import alarms_page
from board.day.live_day import BoardView
from board.day.view_options import viewer_of
from board.models import Activity
from board.stream.asgi import Listener, find_listener
from board.stream.board_watch import BoardWatch
from closures import evidence_packs
from closures.models import PackKind
from dispatch import visits
from dispatch.models import Job, JobEvent
from dispatch.states import JobState
from engineers import areas
from engineers.areas import AreaRecord
from engineers.models import Area, AreaLimit, Engineer, Role, User
from monitoring.alarms import clear_alarm, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from tests import make
from tests.board.busy_day import DAY, BusyDay
from tests.board.office import version_of
from tests.board.test_links_everywhere import OWN_PAGES, PAGES
from tests.board.test_people import client_of
from tests.board.test_stream import scope_of as asgi_scope
from tests.conventions.test_access import OF_OFFICE, Address, route_of

pytestmark = pytest.mark.django_db
# pages about the whole installation: closed for somebody who sees a part of it
OF_ALL_AREAS = {"reconcile", "replan", "comparison"}


# the examples of the wire are those of the sample job
THE_CONTRACT = "API"


@pytest.fixture
def york(db: None) -> Area:
    Area.objects.create(name="Leeds", postcodes="LS")
    return Area.objects.create(name="York", postcodes="YO")


@pytest.fixture
def yara(york: Area) -> User:
    user = make.dispatcher(username="yara")
    AreaLimit.objects.create(user=user, area=york)
    return user


def to_york(job: Job, engineer: Engineer, york: Area) -> None:
    Job.objects.filter(pk=job.pk).update(postcode="YO1 7HH", postcode_key="YO17HH")
    Engineer.objects.filter(pk=engineer.pk).update(area=york)


def secrets_of(day: BusyDay) -> set[str]:
    """What must stand nowhere: whatever names a job or an engineer of Leeds."""
    jobs = [
        text for job in Job.objects.all() for text in (job.provider_job_id, job.postcode, job.contact_name)
    ]
    return {*jobs, day.anna.name, day.bela.name, day.anna.staff_number, "Chapel Row", "Pat Tester"}


@pytest.mark.parametrize("name", [name for name in [*PAGES, *OWN_PAGES] if name != THE_CONTRACT])
def test_page_says_nothing_of_another_area(name: str, day: BusyDay, yara: User) -> None:
    pages: dict[str, str | Callable[[BusyDay], object]] = {**PAGES, **OWN_PAGES}
    page = pages[name]
    found = page if isinstance(page, str) else page(day)
    address = found if isinstance(found, str) else found[0]  # type: ignore[index]
    answer = client_of(yara).get(address)
    html = answer.content.decode()

    if name in OWN_PAGES:
        assert answer.status_code == 404
    if name in OF_ALL_AREAS:
        assert answer.status_code == 403
    # whoever typed it into the address knows it
    assert {text for text in secrets_of(day) if text in html and text not in address} == set()


@pytest.mark.parametrize("address", [a for a in OF_OFFICE if "job_id" in a.route], ids=route_of)
def test_address_of_a_job_of_another_area_is_not_there(address: Address, yara: User) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    events = JobEvent.objects.count()
    client = client_of(yara)

    answers = {client.get(address.path(job)).status_code, client.post(address.path(job)).status_code}
    assert answers <= {404, 405}
    assert 404 in answers
    assert JobEvent.objects.count() == events


def test_several_jobs_at_once_are_not_there_either(yara: User, york: Area) -> None:
    job, anna = make.job(), make.engineer()
    Engineer.objects.filter(pk=anna.pk).update(area=york)
    fields = {"job": [f"{job}|{version_of(job)}"], "action": "reassign", "engineer": anna.staff_number}

    answer = client_of(yara).post("/board/bulk/", fields, headers={"Accept": "application/json"})

    assert (answer.status_code, "There is no job" in answer.content.decode()) == (400, True)
    assert job.visits.count() == 0


def test_evidence_of_another_area_is_not_there(yara: User) -> None:
    pack = evidence_packs.request_pack(job=make.job(), kind=PackKind.PDF, by=make.dispatcher())

    for path in ("", "download"):
        assert client_of(yara).get(f"/board/evidence-packs/{pack.pk}/{path}").status_code == 404


def test_engineer_of_another_area_cannot_be_given_a_job(yara: User, york: Area) -> None:
    job, anna, bela = make.job(), make.engineer(), make.engineer()
    to_york(job, anna, york)
    client = client_of(yara)
    form = {"version": version_of(job), "starts_at": make.at("09:00").isoformat()}

    refused = client.post(f"/board/jobs/{job}/assign/", {**form, "engineer": bela.staff_number})
    assert (refused.status_code, "No active engineer has this" in refused.content.decode()) == (400, True)
    assert (
        client.post(f"/board/jobs/{job}/assign/", {**form, "engineer": anna.staff_number}).status_code == 302
    )
    assert client.post(f"/board/engineers/{bela.staff_number}/absent/").status_code == 404


def test_time_for_another_area_stands_on_the_board_without_a_place(yara: User, york: Area) -> None:
    own, other, anna = make.job(), make.job(), make.engineer(name="Anna Fibre")
    to_york(own, anna, york)
    visits.assign(job=other, engineer=anna, starts_at=make.at("09:00"), by=make.office())
    client = client_of(yara)

    html = client.get(f"/board/?day={DAY}").content.decode()
    assert ("Other area" in html, own.provider_job_id in html) == (True, True)
    assert {text for text in (other.provider_job_id, "LS6 3AB") if text in html} == set()
    clash = {"engineer": anna.staff_number, "starts_at": make.at("09:00").isoformat()}
    text = client.get(f"/board/jobs/{own}/check", clash).json()["text"]
    assert "already has a visit at a job of another area" in text
    client.post("/board/view/", {"span": "week"})
    week = client.get(f"/board/?day={DAY}").context["page"].board
    assert [day.jobs for day in week.days if day.day == make.DAY] == [0]
    (row,) = [row for group in week.groups for row in group.rows]
    assert [(cell.jobs, cell.booked_minutes > 0) for cell in row.cells if cell.day == make.DAY] == [(0, True)]


def test_own_alarms_are_found_behind_many_of_other_areas(
    yara: User, york: Area, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = make.job(), make.job()
    to_york(own, make.engineer(), york)
    monkeypatch.setattr(alarms_page, "PAGE_SIZE", 1)
    for job in (own, other):
        raise_alarm(
            AlarmKind.JOB_LATE, job.provider_job_id, coded_text("network_hold", element="N-1", jobs=1)
        )
        clear_alarm(AlarmKind.JOB_LATE, job.provider_job_id)

    html = client_of(yara).get("/board/alarms/").content.decode()

    assert (str(own) in html, str(other) in html) == (True, False)


def test_second_engineer_of_another_area_stays_when_the_time_is_changed(yara: User, york: Area) -> None:
    own, anna, sam = make.job(), make.engineer(), make.engineer(name="Sam Second")
    to_york(own, anna, york)
    visits.assign(job=own, engineer=anna, starts_at=make.at("09:00"), by=make.office(), second_engineer=sam)
    client = client_of(yara)

    page = client.get(f"/board/jobs/{own}/").content.decode()
    assert '<option value="unchanged" selected>Sam Second, as planned</option>' in page
    assert reverse("board:engineer", args=[sam.pk]) not in page
    form = {
        "version": version_of(own),
        "starts_at": make.at("10:00").isoformat(),
        "engineer": anna.staff_number,
        "second_engineer": "unchanged",
    }
    client.post(f"/board/jobs/{own}/assign/", form)

    visit = own.visits.get()
    assert (visit.planned_start, visit.second_engineer) == (make.at("10:00"), sam)


def test_search_finds_the_own_job_behind_many_of_another_area(yara: User, york: Area) -> None:
    own = make.job()
    to_york(own, make.engineer(), york)
    for _number in range(3):
        make.job()

    for address in ("/board/search?q=tester", "/board/search/suggestions?q=tester"):
        html = client_of(yara).get(address).content.decode()
        assert (own.provider_job_id in html, html.count("LS6 3AB")) == (True, 0), address


def test_live_stream_names_jobs_and_colleagues_of_the_own_area_only(yara: User, york: Area) -> None:
    own, other, anna = make.job(), make.job(), make.engineer(name="Anna Fibre")
    to_york(own, anna, york)
    everybody = BoardView(make.DAY, "en-gb")
    hers = replace(everybody, viewer=viewer_of(yara))
    watch, views = BoardWatch(), {everybody, hers}
    watch.read_changes(views)
    dana = make.dispatcher()
    presence.record_presence(user=dana, job_id=str(other), activity=Activity.MOVING)
    for job in (own, other):
        visits.assign(
            job=job,
            engineer=make.engineer() if job == other else anna,
            starts_at=make.at("09:00"),
            by=make.office(),
        )
    watch.read_changes(views)
    make.start_travel(own)
    make.start_travel(other)

    sent = {message.view: message.data for message in watch.read_changes(views) if message.event == "change"}
    assert sent[everybody]["jobs"] == sorted([str(own), str(other)])
    assert sent[hers]["jobs"] == [str(own)]
    assert str(other) not in str(sent[hers])
    assert [len(watch.greeting(view)["visitors"]) for view in (everybody, hers)] == [1, 0]


def test_stream_asks_the_session_whose_board_it_is(yara: User) -> None:
    client = client_of(yara)

    assert find_listener(asgi_scope(client)) == Listener(yara.pk, viewer_of(yara))
    User.objects.filter(pk=yara.pk).update(role=Role.AUDITOR)
    changed = find_listener(asgi_scope(client))
    assert changed is not None and not changed.viewer.can_move


def test_own_jobs_stay_whole(day: BusyDay, yara: User) -> None:
    """Limited to Leeds, where everything happens, nothing is missing."""
    AreaLimit.objects.update(area=Area.objects.get(name="Leeds"))
    Engineer.objects.update(area=Area.objects.get(name="Leeds"))
    client = client_of(yara)

    html = client.get(f"/board/?day={DAY}").content.decode()
    assert str(day.assigned) in html
    assert client.get(f"/board/jobs/{day.on_site}/").status_code == 200
    assert client.get(f"/board/messages/{day.held.message_id}/").status_code == 200
    assert day.anna.name in client.get("/board/people/").content.decode()


def test_nobody_who_is_limited_widens_the_own_view(york: Area) -> None:
    ruth = make.dispatcher(role=Role.SUPERVISOR)
    AreaLimit.objects.create(user=ruth, area=york)
    client, dana = client_of(ruth), make.dispatcher()

    answer = client.post(f"/board/people/accounts/{dana.pk}/sign-in-link/", follow=True)
    assert "may do or see more than yours" in answer.content.decode()
    form = {"name": "Mo", "username": "mo", "role": "planner"}
    assert client.post("/board/people/accounts/new/", form).status_code == 400
    assert client.post("/board/people/accounts/new/", {**form, "areas": ["York"]}).status_code == 200
    assert client.get("/admin/").status_code == 302


AREA_PATHS = ("new/", "{pk}/change/", "{pk}/delete/", "import/", "export.csv")


@pytest.mark.parametrize("path", AREA_PATHS)
@pytest.mark.parametrize("name", ["Leeds", "York"])
def test_limited_supervisor_opens_nothing_that_changes_or_lists_all_areas(
    york: Area, path: str, name: str
) -> None:
    ruth, area = make.dispatcher(role=Role.SUPERVISOR), Area.objects.get(name=name)
    AreaLimit.objects.create(user=ruth, area=york)
    form = {"name": "Hull", "postcodes": "YO LS", "seen_name": name, "seen_postcodes": area.postcodes}
    client, address = client_of(ruth), f"/board/people/areas/{path.format(pk=area.pk)}"

    assert {client.get(address).status_code, client.post(address, form).status_code} == {403}
    assert dict(Area.objects.values_list("name", "postcodes")) == {"Leeds": "LS", "York": "YO"}


def test_limited_supervisor_sees_no_button_that_changes_areas(york: Area) -> None:
    ruth = make.dispatcher(role=Role.SUPERVISOR)
    AreaLimit.objects.create(user=ruth, area=york)

    for path in ("", f"{york.pk}/"):
        html = client_of(ruth).get(f"/board/people/areas/{path}").content.decode()
        assert [
            text for text in ("Add area", "Import areas", "Change area", "Delete area") if text in html
        ] == []


def test_areas_are_changed_by_nobody_who_is_limited(york: Area, yara: User) -> None:
    """The records refuse, too, whatever page asks."""
    changes: list[Callable[[], object]] = [
        lambda: areas.create_area(name="Hull", postcodes="HU", by=yara),
        lambda: areas.change_area(pk=york.pk, name="York", postcodes="YO HU", seen=["York", "YO"], by=yara),
        lambda: areas.delete_area(pk=Area.objects.get(name="Leeds").pk, by=yara),
        lambda: areas.save_areas([AreaRecord("Hull", "HU")], by=yara),
    ]
    for change in changes:
        with pytest.raises(PermissionDenied, match="limited to some"):
            change()
    assert dict(Area.objects.values_list("name", "postcodes")) == {"Leeds": "LS", "York": "YO"}


def test_engineer_of_another_area_gets_no_link(york: Area) -> None:
    ruth, anna = make.dispatcher(role=Role.SUPERVISOR), make.engineer()
    AreaLimit.objects.create(user=ruth, area=york)

    assert client_of(ruth).post(f"/board/people/accounts/{anna.user_id}/sign-in-link/").status_code == 404
    assert anna.user.sign_in_links.count() == 0


def test_area_that_somebody_is_limited_to_is_not_deleted(yara: User, york: Area) -> None:
    client = client_of(make.dispatcher(role=Role.SUPERVISOR))

    answer = client.post(f"/board/people/areas/{york.pk}/delete/", follow=True)

    assert "1 office account is limited to this area." in answer.content.decode()
    assert Area.objects.filter(pk=york.pk).exists()
