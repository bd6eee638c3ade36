"""Why something was not sent, as a person reads it."""

import pytest

from monitoring.send_failures import failure_text


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (
            "mail server: SMTPServerDisconnected",
            "The mail server did not confirm it (SMTPServerDisconnected)",
        ),
        ("mail server: SMTPDataError 554", "The mail server did not confirm it (SMTPDataError 554)"),
        ("HTTP status 503", "HTTP status 503"),
        ("status 503", "HTTP status 503"),
        ("SMS_GATEWAY_URL does not allow it", "SMS_GATEWAY_URL does not allow it"),
        ("10.0.0.1 is not a public address", "10.0.0.1 is not a public address"),
        ("no connection", "No connection"),
        ("interrupted", "Sending was interrupted. It may have arrived."),
        ("this channel is not set up any more", "This channel is no longer set up"),
        ("of another version", "of another version"),
        ("", ""),
    ],
)
def test_reason_becomes_a_text(reason: str, text: str) -> None:
    assert failure_text(reason) == text
