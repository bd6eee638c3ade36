"""The table of alarm kinds."""

import re

from django.utils import translation

from monitoring.alarm_facts import AlarmSubject
from monitoring.alarm_kinds import ALARM_KINDS, alarm_kind_facts
from monitoring.coded_texts import TEXTS
from monitoring.models import AlarmKind, Urgency
from tests.conventions.sources import OURS, read


def test_every_kind_has_a_row() -> None:
    assert set(ALARM_KINDS) == set(AlarmKind)


def test_every_alarm_that_is_raised_has_its_text() -> None:
    written = [source.text for source in read(OURS, ".py")]
    keys = {key for text in written for key in re.findall(r'\bcoded_text\(\s*"(\w+)"', text)}

    assert keys
    assert keys - TEXTS.keys() == set()


def test_what_blocks_an_upgrade_is_about_the_system() -> None:
    blocking = [facts for facts in ALARM_KINDS.values() if facts.blocks_upgrade]

    assert blocking
    assert all(facts.is_system and facts.subject != AlarmSubject.JOB for facts in blocking)


def test_kind_of_another_version_has_its_name_and_notifies_at_any_hour() -> None:
    facts = alarm_kind_facts("of_tomorrow")
    with translation.override("en"):
        texts = (str(facts.title), facts.card_title, str(facts.remedy))

    assert texts == ("of_tomorrow", "of_tomorrow", "Tell the system operator.")
    assert (facts.urgency, facts.subject, facts.is_dismissible) == (
        Urgency.ANY_HOUR,
        AlarmSubject.NAME,
        False,
    )
