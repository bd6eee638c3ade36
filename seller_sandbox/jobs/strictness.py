"""How strict the seller is: refuses what breaks the contract, or takes it and records the breach."""

from dataclasses import dataclass

from django.conf import settings

from seller_sandbox.jobs.models import Checking


@dataclass(frozen=True)
class Strictness:
    """`positions_refused`: missing coordinates and ones far from the premises are refused too."""

    is_strict: bool
    positions_refused: bool


def current() -> Strictness:
    """What was chosen on the console, otherwise the settings."""
    row = Checking.objects.filter(pk=1).first() or Checking()
    is_strict = settings.STRICT if row.is_strict is None else row.is_strict
    refused = settings.REFUSE_POSITIONS if row.positions_refused is None else row.positions_refused
    return Strictness(is_strict, refused)


def choose(*, is_strict: bool | None = None, positions_refused: bool | None = None) -> Strictness:
    """Change these settings; they are in force with the next message."""
    options = {"is_strict": is_strict, "positions_refused": positions_refused}
    changed = {name: value for name, value in options.items() if value is not None}
    if changed:
        Checking.objects.update_or_create(pk=1, defaults=changed)
    return current()
