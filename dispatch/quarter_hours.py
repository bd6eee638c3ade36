"""The quarter hours at which visits begin."""

from datetime import datetime, timedelta

QUARTER = timedelta(minutes=15)


def this_quarter(moment: datetime) -> datetime:
    """The beginning of the quarter hour of that moment."""
    return moment.replace(minute=moment.minute - moment.minute % 15, second=0, microsecond=0)


def next_quarter(moment: datetime) -> datetime:
    """The first full quarter hour from that moment on."""
    begun = this_quarter(moment)
    return moment if moment == begun else begun + QUARTER
