"""Contacts and open alarms for tests."""

from datetime import time
from typing import Any

from pytest_django import Settings

from alerting.models import AlarmContact, AlarmDelivery, Channel
from config.message_channels import AlertingSettings, SmsGateway
from monitoring.alarms import raise_alarm
from monitoring.coded_texts import coded_text, reason_text
from monitoring.models import Alarm, AlarmKind
from tests.servers.mailbox import server_at

SECRET = "shared-with-the-receiver"


def set_up(
    settings: Settings,
    *,
    mail_port: int = 0,
    sms_url: str = "",
    sms_fields: dict[str, Any] | None = None,
    is_form: bool = False,
) -> None:
    """Webhooks on this machine; a mail server and an SMS gateway where one runs."""
    fields = sms_fields or {"to": "{number}", "text": "{text}"}
    settings.ALERTING = AlertingSettings(webhook_hosts=["127.0.0.1"], webhook_secret=SECRET)
    settings.MAIL_SERVER = server_at(mail_port) if mail_port else None
    settings.SMS_GATEWAY = SmsGateway(sms_url, fields, is_form, "Bearer key") if sms_url else None


def contact(name: str = "Anna", *, channel: Channel = Channel.MAIL, **fields: Any) -> AlarmContact:
    address = {"mail": "anna@example.org", "webhook": "http://127.0.0.1:9/alarms", "sms": "+441134960111"}
    values = {"address": address[channel], "language": "en-gb", **fields}
    return AlarmContact.objects.create(name=name, channel=channel, **values)


def on_call(starts: str, ends: str) -> dict[str, time]:
    return {"on_call_starts": time.fromisoformat(starts), "on_call_ends": time.fromisoformat(ends)}


def disk_full(subject: str = "evidence") -> Alarm:
    """Urgent."""
    raise_alarm(AlarmKind.DISK_FULL, subject, coded_text("disk_full", problem="20 MB free, fewer than 500"))
    return Alarm.objects.get(subject=subject, cleared_at=None)


def backup_missing() -> Alarm:
    """For office hours."""
    raise_alarm(AlarmKind.BACKUP_OVERDUE, "backup", coded_text("backup_missing", folder="/backups"))
    return Alarm.objects.get(subject="backup", cleared_at=None)


def last_error() -> str:
    """Of the only delivery."""
    return reason_text(AlarmDelivery.objects.get().last_error)
