"""Who may test which services: each app that knows callers registers their scope (fault-decisions.md, D17)."""

from collections.abc import Callable
from dataclasses import dataclass

from seller_sandbox.diagnostics.service_paths import ServicePath


@dataclass(frozen=True)
class DiagnosticsScope:
    """`identifier_of` gives the buyerIdentifier of a certificate's common name, None for one without this role.

    `find` gives the path of a service that this caller may test, None for any other: (common name, service).
    """

    identifier_of: Callable[[str], str | None]
    find: Callable[[str, str], ServicePath | None]


_scopes: dict[str, DiagnosticsScope] = {}


def register(role: str, scope: DiagnosticsScope) -> None:
    if role in _scopes:
        raise ValueError(f"the role {role} has a scope already")
    _scopes[role] = scope


def find(subject: str, identifier: str) -> DiagnosticsScope | None:
    """The scope of a caller who gives this buyerIdentifier; None when it is not its own."""
    return next((scope for scope in _scopes.values() if scope.identifier_of(subject) == identifier), None)
