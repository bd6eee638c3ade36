"""Why a message, an alarm or a webhook was not sent: a row keeps a reason in English, the reader gets a text."""

import re
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TEXTS: Mapping[str, Promise] = {
    # monitoring.signed_post
    "no whole answer in time": _("No complete answer in time"),
    "the name is unknown": _("The server's name is unknown"),
    "no connection": _("No connection"),
    "the answer broke off": _("The answer broke off"),
    "the connection ended without an answer": _("The connection ended without an answer"),
    "the connection broke off": _("The connection broke off"),
    "the certificate is not trusted": _("The certificate is not trusted"),
    "the address is not one that can be called": _("The address can't be used"),
    # alerting
    "contact deleted": _("The contact was deleted"),
    # customer_messages
    "no address": _("The job pack has no mobile number or mail address that can be used."),
    "this channel is not set up any more": _("This channel is no longer set up"),
    # both
    "interrupted": _("Sending was interrupted. It may have arrived."),
}
PATTERNS: tuple[tuple[re.Pattern[str], Promise], ...] = (
    # whether the server took it is not always known
    (re.compile(r"mail server: (?P<detail>.+)"), _("The mail server did not confirm it (%(detail)s)")),
    (re.compile(r"(?:HTTP )?status (?P<status>\d+)"), _("HTTP status %(status)s")),
    (re.compile(r"(?P<setting>[A-Z_]+) does not allow it"), _("%(setting)s does not allow it")),
    (re.compile(r"(?P<address>\S+) is not a public address"), _("%(address)s is not a public address")),
)


def failure_text(reason: str) -> str:
    """In the language of whoever reads it; a reason that is not known here as it is."""
    for pattern, text in PATTERNS:
        if found := pattern.fullmatch(reason):
            return str(text) % found.groupdict()
    return str(TEXTS.get(reason, reason))
