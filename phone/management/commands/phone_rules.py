"""docs/phone-rules.md from dispatch/sync_conflicts.py."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from dispatch.sync_conflicts import RULES

PAGE = Path(settings.BASE_DIR) / "docs" / "phone-rules.md"
HEAD = """\
# When the office and a phone met on their way

Written by `manage.py phone_rules` from `dispatch/sync_conflicts.py`; a test fails when the two differ.

A phone works on without signal. When its entries arrive, the seller or the office may have changed the job. Each case
has a rule with a name; the name is the `code` of the entry's problem, stands in `day.json` (`notices`, `gone`) and in
the job's history. What happened on site is never discarded: a rule decides what it still moves. Photos are never too
late: they are stored with the job and their question whatever became of it.

An engineer may also ask from the phone (`hand_over_asked`, with a reason) that a half-done job goes to a colleague.
That moves nothing: the wish stands on the job's page, in its history and on its card until the office gives the job to
somebody else, and then `reassigned` and `joined` apply. A wish that arrives after that is kept as reported late.

`%(at)s` is the time of the change, `%(who)s` who has or closed the job, `%(reason)s` what was given as a reason.
"""


def rules_page() -> str:
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    yield "| rule | meanwhile | what becomes of the entry |"
    yield "|---|---|---|"
    yield from (f"| `{name}` | {rule.meanwhile} | {rule.effect} |" for name, rule in RULES.items())
    yield "\n| rule | the phone says | the job's page on the board says |"
    yield "|---|---|---|"
    yield from (f"| `{name}` | {rule.phone} | {rule.board} |" for name, rule in RULES.items())
    yield ""


class Command(BaseCommand):
    help = "Write docs/phone-rules.md from the rules for what a phone says too late."

    def handle(self, *_args: Any, **_options: Any) -> None:
        PAGE.write_text(rules_page())
        self.stdout.write(f"Wrote {PAGE}")
