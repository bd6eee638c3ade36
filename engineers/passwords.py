"""Passwords: one's own, and a temporary one that a supervisor gives and its owner must replace."""

import secrets

from django.db import transaction

from engineers import audit, staff
from engineers.models import User

# nothing that looks like something else when it is read out over a telephone
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
GROUPS, LETTERS_IN_GROUP = 3, 5


@transaction.atomic
def give_temporary(*, user: User, by: User) -> str:
    """A new random password, to be told once; sessions end, and the user must choose an own one after signing in."""
    password = "-".join(_group() for _number in range(GROUPS))
    user.set_password(password)
    user.must_change_password = True
    user.save(update_fields=["password", "must_change_password"])
    staff.end_sessions(user)
    audit.record(actor=by, action="password_reset", subject=user.username)
    return password


@transaction.atomic
def note_change(*, user: User) -> None:
    """The user has chosen a password that nobody else knows."""
    user.must_change_password = False
    user.save(update_fields=["must_change_password"])
    audit.record(actor=user, action="password_changed", subject=user.username)


def _group() -> str:
    return "".join(secrets.choice(LETTERS) for _number in range(LETTERS_IN_GROUP))
