"""Whether the travel server is asked: after a failure it is left alone for a while, by all processes, and an alarm says
so until it answers again."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from dispatch.models import TravelServerHealth
from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(minutes=10)


def may_ask() -> bool:
    """False while it is left alone. Several processes may try it at once when that time is over."""
    now = timezone.now()
    health = TravelServerHealth.objects.filter(url=settings.TRAVEL_SERVER.url).first()
    if health is None or health.open_until is None:
        return True
    # a pause beyond the longest was written by a clock that has been set back since
    return not now < health.open_until <= now + LONGEST_PAUSE


def record_failure(reason: CodedText) -> None:
    """Each one in a row doubles the pause."""
    url = settings.TRAVEL_SERVER.url
    health, _created = TravelServerHealth.objects.get_or_create(url=url)
    pause = min(FIRST_PAUSE * 2 ** min(health.failures, 10), LONGEST_PAUSE)
    TravelServerHealth.objects.filter(pk=health.pk).update(
        failures=health.failures + 1,
        open_until=timezone.now() + pause,
    )
    text = coded_text("travel_server_unreachable", url=url, reason=reason)
    alarms.raise_alarm(AlarmKind.TRAVEL_SERVER_UNREACHABLE, url, text)


def record_answer() -> None:
    url = settings.TRAVEL_SERVER.url
    failed = TravelServerHealth.objects.filter(url=url, failures__gt=0)
    if failed.update(failures=0, open_until=None):
        alarms.clear_alarm(AlarmKind.TRAVEL_SERVER_UNREACHABLE, url)


def forget_unused_servers() -> None:
    """Alarms about a URL that is no longer TRAVEL_SERVER_URL are over: nobody asks there."""
    found = alarms.open_alarms().filter(kind=AlarmKind.TRAVEL_SERVER_UNREACHABLE)
    for url in found.exclude(subject=settings.TRAVEL_SERVER.url).values_list("subject", flat=True):
        alarms.clear_alarm(AlarmKind.TRAVEL_SERVER_UNREACHABLE, url)
