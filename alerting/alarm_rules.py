"""How urgent each kind of alarm is: what a supervisor has changed, and monitoring/alarm_kinds.py for the others."""

from alerting.models import AlarmRule, AlarmTopic
from monitoring.alarm_kinds import ALARM_KINDS, alarm_kind_facts
from monitoring.models import AlarmKind, Urgency

FAILING_MESSAGES = (AlarmKind.MESSAGES_FAILING, AlarmKind.MESSAGE_HELD, AlarmKind.MESSAGE_UNCONFIRMED)


def load_urgencies() -> dict[str, Urgency]:
    """Of every kind; one query."""
    changed = {rule.kind: Urgency(rule.urgency) for rule in AlarmRule.objects.all()}
    return {str(kind): changed.get(kind, facts.urgency) for kind, facts in ALARM_KINDS.items()}


def notice_urgencies() -> dict[str, Urgency]:
    """By which contacts are notified: an alarm that stands for those of many jobs is as urgent as the most urgent of
    theirs, which are silent meanwhile."""
    found = load_urgencies()
    most = min((found[kind] for kind in FAILING_MESSAGES), key=list(Urgency).index)
    return {**found, AlarmKind.MESSAGES_FAILING: most}


def topic_of(kind: str) -> AlarmTopic:
    return AlarmTopic.SYSTEM if alarm_kind_facts(kind).is_system else AlarmTopic.JOBS
