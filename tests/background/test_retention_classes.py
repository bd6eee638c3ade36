"""Each table with personal data has an end, and each end is tested."""

from datetime import timedelta

import pytest
import time_machine
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models

from background import personal_data
from dispatch.models import PinHoldChange, PinHoldStep
from dispatch.plan_changes import plan_actions
from dispatch.states import JobState
from engineers.models import Absence, CheckIn, CheckInEnd, Engineer
from seller_link.metrics import LinkCollector
from seller_link.models import OutboundMessage, OutboundState, RejectedCaller
from tests import make
from tests.monitoring.test_metrics import figures

# by which class of personal_data.CLASSES the rows of a table go, or become empty
CLASSES = {
    "admin.LogEntry": "changes in the administration",
    "alerting.AlarmDelivery": "alarm deliveries",
    "axes.AccessAttempt": "failed sign-ins",
    "axes.AccessFailureLog": "failed sign-ins by time",
    "axes.AccessLog": "sign-ins",
    "closures.Answer": "job packs",
    "closures.Closure": "job packs",
    "closures.Photo": "photos",
    "customer_messages.CustomerMessage": "customer messages",
    "dispatch.Job": "job packs",
    "dispatch.JobEvent": "later events of jobs",
    "dispatch.JobSearchText": "job packs",
    "dispatch.PinHoldStep": "job packs",
    "dispatch.RoadDrive": "drives",
    "django_q.Task": "failed tasks",
    "engineers.Absence": "reasons of absences",
    "engineers.AuditEntry": "audit",
    "engineers.CheckIn": "lone-worker check-ins",
    "engineers.PhoneMessage": "phone messages",
    "monitoring.Alarm": "alarms",
    "partner_api.WebhookAttempt": "webhooks",
    "partner_api.WebhookEvent": "webhooks",
    "seller_link.DeliveryAttempt": "messages to the seller",
    "seller_link.InboundMessage": "messages from the seller",
    "seller_link.OutboundMessage": "messages to the seller",
    "seller_link.RejectedCaller": "rejected callers",
    "seller_link.Replay": "reasons of replays",
}
# with the account, or with the engineer's erasure (background.erasure)
WITH_THE_PERSON = {
    *("board.Presence", "board.SavedFilter", "engineers.CalendarFeed", "engineers.CompanyIdentity"),
    *("engineers.Engineer", "engineers.LastPosition", "engineers.LastSync", "engineers.PushSubscription"),
    *("engineers.SignInLink", "engineers.User", "otp_static.StaticDevice", "otp_static.StaticToken"),
    "otp_totp.TOTPDevice",
}
# by a task of its own: positions, sessions, evidence packs, plans (docs/operating.md)
BY_OWN_TASK = {
    *("closures.EvidencePack", "dispatch.PlanComparison", "dispatch.PlanProposal", "dispatch.ProposedChange"),
    *("django_q.OrmQ", "engineers.DrivingPosition", "sessions.Session"),
}
# rules, measurements and figures of the system; what the office has set up, and deletes itself
NOT_PERSONAL = {
    *("alerting.AlarmContact", "alerting.AlarmRule", "alerting.AlertingPlan", "auth.Group"),
    *("auth.Permission", "closures.MatrixEdition", "contenttypes.ContentType", "dispatch.DayForecast"),
    *("dispatch.DriveCorrection", "dispatch.FlagRule", "dispatch.JobEventReader", "dispatch.LearnedLength"),
    *("dispatch.LearnedSpread", "dispatch.LineCheck", "dispatch.OntScan", "dispatch.PlanStep"),
    *("dispatch.ProvisioningResult", "dispatch.RecordedForecast", "dispatch.TravelServerHealth"),
    *("django_q.Schedule", "engineers.Area", "engineers.RoleRights", "engineers.Skill"),
    *("monitoring.Heartbeat", "monitoring.TaskFailures", "partner_api.AccessToken"),
    *("partner_api.WebhookSubscription", "seller_link.EndpointHealth"),
    "seller_link.SettledTotals",
}
KINDS = (
    *(models.CharField, models.TextField, models.JSONField, models.FloatField, models.GenericIPAddressField),
    models.BinaryField,
)


def has_text(model: type[models.Model]) -> bool:
    """Or a position: a column that could be about a person."""
    columns = [field for field in model._meta.concrete_fields if not field.choices]
    return any(isinstance(field, KINDS) for field in columns)


def test_each_table_with_texts_has_an_end() -> None:
    """Whoever adds one decides."""
    tables = {model._meta.label for model in apps.get_models() if has_text(model) and not model._meta.proxy}
    groups: list[set[str]] = [set(CLASSES), WITH_THE_PERSON, BY_OWN_TASK, NOT_PERSONAL]

    assert tables - set().union(*groups) == set()
    assert sum(map(len, groups)) == len(set().union(*groups))


def test_each_class_is_one_of_the_purge() -> None:
    names = {retention.name for retention in personal_data.CLASSES}

    assert set(CLASSES.values()) - names == set()


NOW = make.at("09:00")


def purged(name: str, *, days: int) -> int:
    return personal_data.purge(NOW + timedelta(days=days))[name]


@pytest.mark.django_db
def test_reason_of_an_absence_goes_and_its_times_stay() -> None:
    absence = Absence.objects.create(
        engineer=make.engineer(), starts_at=NOW, ends_at=NOW + timedelta(days=30), reason="planted-illness"
    )

    assert (purged("reasons of absences", days=759), purged("reasons of absences", days=761)) == (0, 1)
    stored = Absence.objects.get()
    assert (stored.reason, stored.starts_at, stored.ends_at) == ("", absence.starts_at, absence.ends_at)
    assert purged("reasons of absences", days=4000) == 0


@pytest.mark.django_db
def test_check_in_goes_by_its_end_and_a_running_one_stays() -> None:
    engineers = [make.engineer(), make.engineer()]
    ended, running = (
        CheckIn.objects.create(engineer=engineer, provider_job_id="J-1", started_at=NOW, due_at=NOW)
        for engineer in engineers
    )
    CheckIn.objects.filter(pk=ended.pk).update(ended_at=NOW, end_reason=CheckInEnd.DONE)

    assert (purged("lone-worker check-ins", days=89), purged("lone-worker check-ins", days=91)) == (0, 1)
    assert list(CheckIn.objects.all()) == [running]


@pytest.mark.django_db
def test_rejected_callers_lose_their_names_and_no_count() -> None:
    for subject, address, days, count in (
        *(("planted-a", "192.0.2.1", 0, 3), ("planted-b", "192.0.2.2", 0, 4), ("", "", 0, 5)),
        *(("planted-a", "192.0.2.1", 1, 6), ("planted-c", "", 40, 7)),
    ):
        moment = NOW + timedelta(days=days)
        caller = {"cause": "wrong_subject", "subject": subject, "address": address, "day": moment.date()}
        RejectedCaller.objects.create(**caller, count=count, last_at=moment)
    before = figures(LinkCollector())["link_rejected_callers_total wrong_subject"]

    merged = purged("rejected callers", days=32)

    rows = RejectedCaller.objects.order_by("day").values_list("subject", "address", "count")
    assert (merged, list(rows)) == (3, [("", "", 12), ("", "", 6), ("planted-c", "", 7)])
    assert figures(LinkCollector())["link_rejected_callers_total wrong_subject"] == before == 25
    assert purged("rejected callers", days=32) == 0


@pytest.mark.django_db
def test_change_in_the_administration_goes_with_the_audit() -> None:
    by = make.dispatcher()
    entry = LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(Engineer),
        object_id="1",
        object_repr="planted",
        action_flag=CHANGE,
        change_message="planted",
    )
    LogEntry.objects.filter(pk=entry.pk).update(action_time=NOW)

    name = "changes in the administration"
    assert (purged(name, days=729), purged(name, days=731)) == (0, 1)


@pytest.mark.django_db(transaction=True)
def test_fault_for_which_a_job_was_held_goes_with_its_pack() -> None:
    with time_machine.travel(NOW, tick=False):
        job = make.job(at_state=JobState.ASSIGNED)
        by = make.office()
        plan_actions.pin_or_hold_jobs(
            [job], PinHoldChange.HELD, by=by, reason="Down", element="planted street"
        )
        plan_actions.pin_or_hold_jobs([job], PinHoldChange.RELEASED, by=by)
        make.close_without_visit(job)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    assert "planted street" in set(PinHoldStep.objects.values_list("element", flat=True))

    assert purged("job packs", days=401) == 1

    assert set(PinHoldStep.objects.values_list("element", flat=True)) == {""}
