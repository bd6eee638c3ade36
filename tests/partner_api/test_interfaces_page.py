"""The page “Interfaces”: tokens, webhooks and exports by a supervisor's hand."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from engineers.models import Area, AuditEntry, Right, Role, RoleRights
from monitoring.models import Heartbeat
from partner_api import access_tokens
from partner_api.interface_presenter import CreatorLine
from partner_api.models import AccessToken, WebhookAttempt, WebhookDelivery, WebhookSubscription
from tests import make
from tests.partner_api.webhooks import send_due, subscription, subscription_inside

pytestmark = pytest.mark.django_db
PAGE = "/board/interfaces/"


@pytest.fixture
def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    client.get("/board/version")
    return client


def secret_in(html: str) -> str:
    found = re.search(r'id="new-secret" class="code" value="([^"]+)"', html)
    return found[1] if found else ""


def test_token_is_created_shown_once_and_revoked(supervisor: Client) -> None:
    area = Area.objects.create(name="Leeds", postcodes="LS")
    form = {"name": "Billing", "scopes": ["jobs:read"], "areas": [area.name], "days": "30"}
    secret = secret_in(supervisor.post(f"{PAGE}tokens/", form).content.decode())

    token = access_tokens.find(secret)
    assert token
    assert (token.name, token.scopes, list(token.areas.all())) == ("Billing", ["jobs:read"], [area])
    assert token.expires_at and abs(token.expires_at - timezone.now() - timedelta(days=30)) < timedelta(
        minutes=1
    )
    page = supervisor.get(PAGE).content.decode()
    assert secret not in page
    assert secret[:10] in page
    assert supervisor.post(f"{PAGE}tokens/{token.pk}/revoke/").status_code == 302
    assert access_tokens.find(secret) is None
    assert "Billing" not in supervisor.get(PAGE).content.decode()


@pytest.mark.parametrize(
    "form", [{"name": "Billing"}, {"scopes": ["jobs:read"]}, {"name": " ", "scopes": ["x"]}]
)
def test_token_without_name_or_scope_is_refused(supervisor: Client, form: dict[str, object]) -> None:
    answer = supervisor.post(f"{PAGE}tokens/", form)

    assert answer.status_code == 400
    assert "This change was not saved:" in answer.content.decode()
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("area", [str(2**63), "-1", "9" * 400, "Nowhere", "a\0b"])
@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("tokens/", {"scopes": ["jobs:read"]}),
        ("webhooks/", {"url": "https://hooks.example.org/", "kinds": ["job.closed"]}),
    ],
)
def test_area_that_is_none_is_refused(
    supervisor: Client, path: str, form: dict[str, object], area: str
) -> None:
    answer = supervisor.post(f"{PAGE}{path}", {"name": "Billing", **form, "areas": [area]})

    assert answer.status_code == 400
    assert not AccessToken.objects.exists() and not WebhookSubscription.objects.exists()


def test_webhook_is_limited_to_an_area_by_its_name(supervisor: Client) -> None:
    area = Area.objects.create(name="Leeds", postcodes="LS")
    form = {"name": "Data store", "url": "https://hooks.example.org/", "kinds": ["job.closed"]}

    assert 'name="areas" value="Leeds"' in supervisor.get(PAGE).content.decode()
    supervisor.post(f"{PAGE}webhooks/", {**form, "areas": [area.name]})

    assert list(WebhookSubscription.objects.get().areas.all()) == [area]


def test_webhook_is_added_paused_resumed_and_removed(supervisor: Client) -> None:
    form = {"name": "Data store", "url": "https://hooks.example.org/", "kinds": ["job.closed"]}
    secret = secret_in(supervisor.post(f"{PAGE}webhooks/", form).content.decode())
    row = WebhookSubscription.objects.get()

    assert (row.secret, row.kinds) == (secret, ["job.closed"])
    for action, state in (("pause", "Paused"), ("pause", "Paused"), ("resume", "Working")):
        supervisor.post(f"{PAGE}webhooks/{row.pk}/{action}/")
        assert state in supervisor.get(PAGE).content.decode()
    again = secret_in(supervisor.post(f"{PAGE}webhooks/{row.pk}/secret/").content.decode())
    assert again not in {"", secret}
    supervisor.post(f"{PAGE}webhooks/{row.pk}/remove/")
    assert "No other system is notified of jobs yet." in supervisor.get(PAGE).content.decode()
    assert supervisor.get(f"{PAGE}webhooks/{row.pk}/").status_code == 404
    assert supervisor.post(f"{PAGE}webhooks/{row.pk}/explode/").status_code == 404


@pytest.mark.parametrize(
    "url",
    [
        *("http://hooks.example.org/", "https://user:secret@hooks.example.org", "hooks.example.org"),
        "https://exämple.com/",
    ],
)
def test_address_that_cannot_be_called_is_refused(supervisor: Client, url: str) -> None:
    answer = supervisor.post(f"{PAGE}webhooks/", {"name": "Data store", "url": url, "kinds": ["job.closed"]})

    assert answer.status_code == 400
    assert "begins with https://" in answer.content.decode()


@pytest.mark.parametrize(
    "host",
    [
        *("169.254.169.254", "localhost", "localhost.", "[::1]", "10.0.0.7", "[::ffff:127.0.0.1]"),
        *("127.1", "0x7f000001", "2130706433", "127.0.0.1."),
    ],
)
def test_address_inside_the_own_network_is_refused(supervisor: Client, host: str) -> None:
    form = {"name": "Data store", "url": f"https://{host}/", "kinds": ["job.closed"]}

    answer = supervisor.post(f"{PAGE}webhooks/", form)

    assert answer.status_code == 400
    assert "inside the server&#x27;s own network" in answer.content.decode()


def test_page_says_that_nobody_sends(supervisor: Client) -> None:
    warning = "the process that sends webhooks is not running"
    assert warning not in supervisor.get(PAGE).content.decode()
    subscription()
    assert warning in supervisor.get(PAGE).content.decode()
    Heartbeat.objects.create(process="webhooks here 1", beat_at=timezone.now())
    assert warning not in supervisor.get(PAGE).content.decode()


def test_deliveries_are_shown_and_sent_again(supervisor: Client) -> None:
    row = subscription_inside()
    job = make.job()
    send_due()
    WebhookDelivery.objects.update(state="failed")
    address = f"{PAGE}webhooks/{row.pk}/"
    html = supervisor.get(address).content.decode()

    assert str(job) in html
    assert "127.0.0.1 is not a public address" in html
    assert "1 delivery was given up." in html
    supervisor.post(f"{address}replay/")
    assert WebhookDelivery.objects.get().state == "ready"
    WebhookDelivery.objects.update(state="delivered")
    supervisor.post(f"{address}replay/", {"delivery": WebhookDelivery.objects.get().pk})
    assert WebhookDelivery.objects.get().state == "ready"
    for strange in ("x", "9" * 30, "²"):
        assert supervisor.post(f"{address}replay/", {"delivery": strange}).status_code == 302
    assert AuditEntry.objects.filter(action="webhook_replayed").count() == 2


def test_export_is_downloaded_and_audited(supervisor: Client) -> None:
    make.job()
    query = "kind=jobs&first=2026-11-23&last=2026-11-23&file_format=csv"
    answer = supervisor.get(f"{PAGE}export/?{query}")

    assert len(answer.getvalue().splitlines()) == 2
    assert "jobs_2026-11-23_2026-11-23.csv" in answer.headers["Content-Disposition"]
    assert AuditEntry.objects.filter(action="exported", subject="jobs").count() == 1
    refused = supervisor.get(f"{PAGE}export/?{query.replace('last=2026', 'last=2020')}")
    assert refused.status_code == 400
    assert "The end must be after the start" in refused.content.decode()
    far = supervisor.get(f"{PAGE}export/?{query.replace('2026-11-23', '9999-12-31')}")
    assert "Choose a year from 2000 to 2199." in far.content.decode()


def test_export_form_begins_with_four_weeks(supervisor: Client) -> None:
    html = supervisor.get(PAGE).content.decode()

    assert f'value="{timezone.localdate().isoformat()}"' in html


def test_number_of_queries_is_that_of_one_token(supervisor: Client) -> None:
    counts = []
    for _ in range(2):
        for _ in range(3):
            by = make.dispatcher()
            access_tokens.issue(name="Data store", scopes=["jobs:read"], by=by)
            row = subscription(by=by)
            make.job()
            send_due()
        delivery = WebhookDelivery.objects.filter(subscription=row)[0]
        WebhookAttempt.objects.create(
            delivery=delivery, started_at=timezone.now(), milliseconds=1, status=204
        )
        found = []
        for path in (PAGE, f"{PAGE}webhooks/{row.pk}/"):
            with CaptureQueriesContext(connection) as queries:
                supervisor.get(path)
            found.append(len(queries))
        counts.append(found)

    assert counts[0] == counts[1]


def test_what_a_suspended_supervisor_created_is_marked(supervisor: Client) -> None:
    sam = make.dispatcher(username="sam", role=Role.SUPERVISOR)
    access_tokens.issue(name="Data store", scopes=["jobs:read"], by=sam)
    subscription(by=sam)
    assert "Suspended" not in supervisor.get(PAGE).content.decode()

    answer = supervisor.post(f"/board/people/accounts/{sam.pk}/suspend/", follow=True).content.decode()

    assert f"If {sam.display_name} created access tokens or webhooks, they still work." in answer
    page = supervisor.get(PAGE)
    lines = [*page.context["page"].tokens, *page.context["page"].webhooks]
    assert [line.creator for line in lines] == [CreatorLine(sam.display_name, "Suspended")] * 2
    assert page.content.decode().count("Suspended") == 2


GONE = "May not manage interfaces any more"


@pytest.mark.parametrize(("role", "areas"), [("dispatcher", []), ("supervisor", ["Leeds"])])
def test_what_somebody_created_who_could_not_now_is_marked(
    supervisor: Client, role: str, areas: list[str]
) -> None:
    sam = make.dispatcher(username="sam", role=Role.SUPERVISOR)
    access_tokens.issue(name="Data store", scopes=["jobs:read"], by=sam)
    subscription(by=sam)
    Area.objects.create(name="Leeds")
    path = f"/board/people/accounts/{sam.pk}/"
    form = supervisor.get(path).context["page"].form
    sent = {name: form[name].value() for name in form.fields}

    answers = [
        supervisor.post(f"{path}change/", {**sent, "name": "Sam Sure"}, follow=True),
        supervisor.post(
            f"{path}change/",
            {**sent, "name": "Sam Sure", "seen_name": "Sam Sure", "role": role, "areas": areas},
            follow=True,
        ),
    ]

    warning = "If Sam Sure created access tokens or webhooks, they still work."
    assert [warning in answer.content.decode() for answer in answers] == [False, True]
    page = supervisor.get(PAGE)
    lines = [*page.context["page"].tokens, *page.context["page"].webhooks]
    assert [line.creator for line in lines] == [CreatorLine("Sam Sure", GONE)] * 2
    assert page.content.decode().count(GONE) == 2


def test_what_people_of_a_role_created_that_lost_the_right_is_marked(supervisor: Client) -> None:
    sam = make.dispatcher(username="sam", role=Role.PLANNER)
    RoleRights.objects.create(role=Role.PLANNER, rights=[Right.MANAGE_INTERFACES])
    access_tokens.issue(name="Data store", scopes=["jobs:read"], by=sam)
    assert GONE not in supervisor.get(PAGE).content.decode()
    path, seen = "/board/people/roles/planner/", [Right.MANAGE_INTERFACES.value]

    granted = supervisor.post(path, {"right": [*seen, "plan"], "seen": seen}, follow=True)
    lost = supervisor.post(path, {"right": ["plan"], "seen": [*seen, "plan"]}, follow=True)

    warning = "Access tokens and webhooks that these people created still work."
    assert [warning in answer.content.decode() for answer in (granted, lost)] == [False, True]
    assert GONE in supervisor.get(PAGE).content.decode()


def test_dispatcher_finds_no_link(supervisor: Client) -> None:
    client = Client()
    client.force_login(make.dispatcher())

    assert "/board/interfaces/" not in client.get("/board/people/").content.decode()
    assert "/board/interfaces/" in supervisor.get("/board/people/").content.decode()
