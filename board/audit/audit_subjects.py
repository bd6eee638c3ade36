"""What an entry of the audit is about, where its subject is a number or a word of ours and not a name."""

import re
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from board.audit.audit_facts import value_text

NUMBER = re.compile(r"(\d+) \w+")
# by action
COUNTED: Mapping[str, Promise] = {
    "erased_customer": ngettext_lazy("%(number)d job", "%(number)d jobs", "number"),
    "personal_data_exported": ngettext_lazy("%(number)d job", "%(number)d jobs", "number"),
    "replayed": ngettext_lazy("%(number)d message", "%(number)d messages", "number"),
}
NAMED: Mapping[str, Mapping[str, Promise]] = {
    "alarm_hours_changed": {"alarms": _("Alarms")},
    "alarm_rules_changed": {"alarms": _("Alarms")},
    "customer_messages_viewed": {"all jobs": _("All jobs")},
    "engineers_listed": {"list": _("Engineers")},
    "message_log_printed": {"all messages": _("All messages")},
    "search_viewed": {
        "search": _("Results of a search"),
        "suggestions": _("Suggestions while typing"),
        "unassigned": _("Unassigned jobs, all days"),
        "needs-location": _("Jobs without a location"),
    },
}


def subject_text(action: str, subject: str) -> str:
    """In the reader's language; a name stays as it is."""
    found = NUMBER.fullmatch(subject) if action in COUNTED else None
    if found:
        return str(COUNTED[action] % {"number": int(found[1])})
    if action == "exported":
        return value_text("kind", subject)
    return str(NAMED.get(action, {}).get(subject, subject))
