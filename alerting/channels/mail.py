"""Alarms by mail, through MAIL_SERVER_URL."""

from django.conf import settings

from alerting.channels.channel_errors import AlarmNotDelivered, not_set_up
from alerting.models import AlarmDelivery
from monitoring import mail_server
from monitoring.mail_server import NotMailed


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
        raise AlarmNotDelivered(str(problem), is_permanent=problem.is_permanent) from None
