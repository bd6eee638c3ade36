"""Who calls us, in which role: each app that serves somebody registers how it knows them by their certificate."""

from collections.abc import Callable

# by role: whether the holder of a certificate with this common name has it
Lookup = Callable[[str], bool]

_lookups: dict[str, Lookup] = {}


def register(role: str, lookup: Lookup) -> None:
    if role in _lookups:
        raise ValueError(f"the role {role} has a lookup already")
    _lookups[role] = lookup


def roles_of(subject: str) -> set[str]:
    return {role for role, lookup in _lookups.items() if lookup(subject)}
