"""The form in which a kind of alarms is described (alarm_kinds.py)."""

from dataclasses import dataclass
from enum import Enum, auto

from django.utils.functional import Promise

from monitoring.models import Urgency


class AlarmSubject(Enum):
    """What an alarm's `subject` is, which decides what is linked and who may see the alarm."""

    # the number of a job, the staff number of an engineer
    JOB = auto()
    ENGINEER = auto()
    # keys that are not for people
    NETWORK_ELEMENT = auto()
    AREA_HALF_DAY = auto()
    KEY = auto()
    # a URL, a process or another part of the installation, as people call it
    NAME = auto()


@dataclass(frozen=True)
class AlarmKindFacts:
    """`urgency` applies until a supervisor changes it. `is_system`: about the installation, so its sentence names no
    customer and no engineer and is sent whole. `blocks_upgrade`: to be settled before the installation is changed.
    `is_dismissible`: about something that has happened, so only a person can say that it is dealt with; every other
    kind is cleared by its check. `is_danger`: somebody may be in danger, so contacts are notified of each alarm,
    however shortly the one before it was cleared. `rank`: kinds with a higher one come later on the Attention list."""

    title: Promise | str
    remedy: Promise
    urgency: Urgency
    subject: AlarmSubject = AlarmSubject.NAME
    short_title: Promise | None = None
    is_system: bool = False
    blocks_upgrade: bool = False
    is_dismissible: bool = False
    is_danger: bool = False
    rank: int = 0

    @property
    def card_title(self) -> str:
        """As many words as fit on a card; the whole title where there is no shorter one."""
        return str(self.short_title or self.title)
