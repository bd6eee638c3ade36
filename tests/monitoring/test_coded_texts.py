"""Stored sentences: a key with its values, made in the language of whoever reads them."""

import json

import pytest
from django.utils import timezone, translation

from monitoring.alarm_texts import ALARM_TEXTS
from monitoring.coded_texts import TEXTS, CodedText, coded_text, reason_json, reason_text, technical_reason
from monitoring.reason_texts import REASON_TEXTS


@pytest.mark.parametrize(
    ("reason", "english", "german"),
    [
        (
            coded_text("mail_not_confirmed", detail="SMTPDataError 554"),
            "The mail server did not confirm it (SMTPDataError 554)",
            "Der Mailserver hat den Versand nicht bestätigt (SMTPDataError 554)",
        ),
        (coded_text("http_status", status=503), "HTTP status 503", "HTTP-Status 503"),
        (
            coded_text("setting_missing", setting="SMS_GATEWAY_URL"),
            "SMS_GATEWAY_URL does not allow it",
            "SMS_GATEWAY_URL lässt es nicht zu",
        ),
        (
            coded_text("seller_late", seconds=0.5),
            "no answer within 0.5 s",
            "keine Antwort innerhalb von 0.5 s",
        ),
        (technical_reason("of another\0 program"), "of another␀ program", "of another␀ program"),
        ("What a person wrote", "What a person wrote", "What a person wrote"),
        ("", "", ""),
    ],
)
def test_stored_reason_is_read_in_the_language_of_the_reader(
    reason: CodedText | str, english: str, german: str
) -> None:
    stored = json.loads(json.dumps(reason_json(reason)))

    assert reason_text(stored) == english
    with translation.override("de"):
        assert reason_text(stored) == german


def test_reason_inside_another_text_is_in_the_same_language() -> None:
    causes = [coded_text("seller_answered", status=503), coded_text("seller_late", seconds=2)]
    reason = [
        coded_text("of_address", address=f"https://{n}", reason=cause) for n, cause in enumerate(causes)
    ]
    stored = coded_text("seller_unreachable", reason=reason).parameters_json()

    with translation.override("de"):
        text = str(CodedText("seller_unreachable", json.loads(json.dumps(stored))))

    assert "(https://0: Antwort 503; https://1: keine Antwort innerhalb von 2 s)" in text


def test_column_without_a_reason_and_a_key_of_another_version_are_empty() -> None:
    assert (reason_text({}), reason_text(None)) == ("", "")
    assert str(CodedText("of_another_version", {"at": timezone.now()})) == ""


def test_log_has_the_key_with_its_values() -> None:
    reason = coded_text("of_address", address="a", reason=coded_text("seller_answered", status=503))

    assert reason.log_text() == "of_address address=a reason=seller_answered status=503"


def test_no_key_has_two_texts() -> None:
    assert len(TEXTS) == len(ALARM_TEXTS) + len(REASON_TEXTS)
