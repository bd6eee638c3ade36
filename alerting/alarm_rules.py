"""How urgent each kind of alarm is: what a supervisor has changed, and monitoring/alarm_kinds.py for the others."""

from alerting.models import AlarmRule, AlarmTopic
from monitoring.alarm_kinds import ALARM_KINDS, alarm_kind_facts
from monitoring.models import Urgency


def load_urgencies() -> dict[str, Urgency]:
    """Of every kind; one query."""
    changed = {rule.kind: Urgency(rule.urgency) for rule in AlarmRule.objects.all()}
    return {str(kind): changed.get(kind, facts.urgency) for kind, facts in ALARM_KINDS.items()}


def topic_of(kind: str) -> AlarmTopic:
    return AlarmTopic.SYSTEM if alarm_kind_facts(kind).is_system else AlarmTopic.JOBS
