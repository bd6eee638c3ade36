"""Alarms by mail, SMS and webhook: what the operator must have set up for each, and why a message did not arrive.

The reasons are shown on the page of contacts, so they hold no secrets. The webhook is described in docs/operating.md
(Alarms to people).
"""

from http import HTTPStatus
from urllib.parse import urlsplit

from django.conf import settings

from alerting.models import AlarmDelivery, Channel
from monitoring import mail_server, sms_gateway
from monitoring.coded_texts import CodedText, coded_text
from monitoring.mail_server import NotMailed
from monitoring.signed_post import NotPosted, post_signed

SERVER_ERROR = 500
# a receiver that is busy, or slow
RETRIED_STATUS = frozenset({408, 425, 429})
# two parts of a message with letters outside of GSM's alphabet
LONGEST_SMS = 134
WEBHOOK_SECONDS = 8
REDIRECT = 300


class AlarmNotDelivered(Exception):
    """This attempt failed; `is_permanent` where another one would fail, too, `is_certain` where nothing arrived."""

    def __init__(self, reason: CodedText, *, is_permanent: bool = False, is_certain: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_permanent = is_permanent
        self.is_certain = is_certain


def not_set_up(setting: str) -> AlarmNotDelivered:
    """Since the contact was saved the settings have changed."""
    return AlarmNotDelivered(coded_text("setting_missing", setting=setting), is_permanent=True)


def is_permanent_status(status: int) -> bool:
    """Whether another attempt would get this answer again; 0: none came."""
    return 0 < status < SERVER_ERROR and status not in RETRIED_STATUS


def missing_setting(channel: str, address: str) -> str:
    """The setting without which nothing can be sent there, or nothing. Webhooks reach only hosts that the operator has
    named: a supervisor's page must not make us call any server behind ours."""
    alerting = settings.ALERTING
    if channel == Channel.MAIL:
        return "" if settings.MAIL_SERVER else "MAIL_SERVER_URL"
    if channel == Channel.SMS:
        return "" if settings.SMS_GATEWAY else "SMS_GATEWAY_URL"
    if not alerting.webhook_secret:
        return "ALARM_WEBHOOK_SECRET"
    return "" if urlsplit(address).hostname in alerting.webhook_hosts else "ALARM_WEBHOOK_HOSTS"


def send_mail(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. A repetition has the same Message-ID, so that a mail program shows it once."""
    server = settings.MAIL_SERVER
    if server is None:
        raise not_set_up("MAIL_SERVER_URL")
    try:
        mail_server.send_mail(
            server,
            to=delivery.address,
            subject=delivery.title,
            text=delivery.text,
            message_id=str(delivery.delivery_id),
        )
    except NotMailed as problem:
        raise AlarmNotDelivered(
            problem.reason, is_permanent=problem.is_permanent, is_certain=problem.is_certain
        ) from None


def send_sms(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. The title only, and where the rest is."""
    gateway = settings.SMS_GATEWAY
    if gateway is None:
        raise not_set_up("SMS_GATEWAY_URL")
    try:
        sms_gateway.send_sms(
            gateway, number=delivery.address, text=sms_text(delivery), message_id=str(delivery.delivery_id)
        )
    except NotPosted as problem:
        is_permanent = is_permanent_status(problem.status)
        raise AlarmNotDelivered(
            problem.reason, is_permanent=is_permanent, is_certain=problem.is_certain
        ) from None


def sms_text(delivery: AlarmDelivery) -> str:
    end = f" {delivery.payload.get('url', '')}".rstrip()
    return delivery.title[: max(0, LONGEST_SMS - len(end))] + end


def send_webhook(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. A repetition has the same delivery_id and another time stamp."""
    missing = missing_setting(delivery.channel, delivery.address)
    if missing:
        raise not_set_up(missing)
    ids = delivery.request_ids()
    try:
        result = post_signed(
            delivery.address,
            {"delivery_id": str(delivery.delivery_id), **delivery.payload},
            secret=settings.ALERTING.webhook_secret,
            delivery_id=str(delivery.delivery_id),
            # a header names one
            request_id=ids[0] if len(ids) == 1 else "",
            seconds=WEBHOOK_SECONDS,
            # the operator has named the host, which may be a machine of ours
            is_private_allowed=True,
        )
    except NotPosted as problem:
        raise AlarmNotDelivered(problem.reason, is_certain=problem.is_certain) from None
    if result.status >= REDIRECT:
        raise AlarmNotDelivered(
            coded_text("http_status", status=result.status),
            is_permanent=is_permanent_status(result.status),
            # a proxy before the receiver has passed it on
            is_certain=result.status != HTTPStatus.GATEWAY_TIMEOUT,
        )
