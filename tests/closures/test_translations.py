"""Questions, codes, flags and network labels in every language of the phone, complete; the seller gets English."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils.translation import override

from closures import answers, codes
from closures.question_matrix.matrix import configured_matrix
from closures.question_matrix.translations import code_texts, translated_code, translated_matrix
from dispatch import job_pack, skills
from dispatch.states import JobState
from tests import make
from tests.phone.phone import Phone

OTHERS = [code for code, _name in settings.LANGUAGES if not code.startswith("en")]
KNOWN_NETWORK = {"olt": "LS-OLT-1", "ponPort": "1/1/3", "vlan": "7"}
# the same in both languages
ALIKE = {"OLT", "Splitter"}


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_the_current_matrix_is_translated(language: str) -> None:
    missing = []
    for question in configured_matrix().questions:
        texts = question.translations.get(language, {})
        wanted = {name for name in ("text", "hint", "advice") if getattr(question, name)}
        missing += [f"{question.code} {name}" for name in sorted(wanted - {*texts})]
        known = texts.get("choices", {})
        missing += [
            f"{question.code} {choice.code}" for choice in question.choices if choice.code not in known
        ]

    assert missing == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_the_codes_is_translated(language: str) -> None:
    every = [*codes.list_codes().values(), codes.OTHER]
    texts = {text for code in every for text in (code.description, code.in_trade_words)}
    texts |= {second.description for code in every for second in code.secondaries}

    assert texts == {*code_texts(language)}


def test_other_languages_keep_codes_rules_and_order() -> None:
    english, german = (
        configured_matrix(),
        translated_matrix(configured_matrix(), "de-at"),
    )

    assert [question.code for question in german.questions] == [
        question.code for question in english.questions
    ]
    first = german.questions[0]
    assert (first.text, first.unsafe) == ("Ist es sicher, hier zu arbeiten?", ("no",))
    assert translated_matrix(english, "en-gb").questions[0].text == english.questions[0].text
    assert translated_code(codes.find_code("HAZ"), "de").in_trade_words == "Ort unsicher"
    assert translated_code(codes.find_code("HAZ"), "en-gb") == codes.find_code("HAZ")


@pytest.mark.parametrize("language", OTHERS)
def test_flags_and_network_labels_are_translated(language: str) -> None:
    def texts() -> list[str]:
        flags = [str(skills.find_flag(code).label) for code in skills.KNOWN]
        return [*flags, *(job_pack.network_label(name) for name in job_pack.NETWORK_LABELS)]

    english = texts()
    with override(language):
        assert [text for text, other in zip(english, texts(), strict=True) if text == other] == sorted(ALIKE)


@pytest.mark.django_db
def test_german_phone_gets_german_and_the_seller_english() -> None:
    phone = Phone(make.engineer())
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer, day=make.now().date(), flags=("MDU",))
    job.network = KNOWN_NETWORK
    job.save(update_fields=["network"])
    phone.client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    payload: dict[str, Any] = phone.json("/phone/day.json")
    (carried,) = payload["jobs"]
    (matrix,) = payload["matrices"].values()

    assert matrix["questions"][0]["text"] == "Ist es sicher, hier zu arbeiten?"
    assert [closure["in_trade_words"] for closure in carried["closures"] if closure["code"] == "HAZ"] == [
        "Ort unsicher"
    ]
    assert carried["page"]["flags"][0]["label"] == "Mehrfamilienhaus"
    # PostgreSQL keeps members in an order of its own
    assert {closure["name"] for closure in carried["page"]["network"]} == {"OLT", "PON-Port", "vlan"}
    phone.say("answered", job, {"question": "ROU01", "value": "overhead"})
    (answer,) = answers.applicable_answers(job, closure_code="SP")
    assert (answer.question_text, answer.answer_text) == (
        "How does the cable reach the premises?",
        "Overhead from a pole",
    )


def test_data_files_are_in_order() -> None:
    """Written by hand: no text twice."""
    folder = Path(codes.CODES_FILE).parent
    for path in folder.glob("codes_*.json"):
        pairs = json.loads(path.read_text(), object_pairs_hook=list)
        assert len(pairs) == len({text for text, _other in pairs})
