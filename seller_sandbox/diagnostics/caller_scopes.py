"""Who may test which services: each app that knows callers registers their scope (fault-decisions.md, D17).

Buyers test their own live services.
"""

from collections.abc import Callable
from dataclasses import dataclass

from seller_sandbox.diagnostics import service_paths
from seller_sandbox.diagnostics.service_paths import ServicePath
from seller_sandbox.network import buyers
from seller_sandbox.network.models import Service


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


def _identifier_of(subject: str) -> str | None:
    buyer = buyers.find_by_subject(subject)
    return buyer.identifier if buyer else None


def _find(subject: str, service_identifier: str) -> ServicePath | None:
    related = ("location__cabinet", "product", "buyer", "ont")
    live = Service.objects.filter(
        service_identifier=service_identifier, ended_at=None, buyer__subject=subject
    )
    service = live.select_related(*related).first()
    return service_paths.of_service(service) if service else None


BUYER_SCOPE = DiagnosticsScope(identifier_of=_identifier_of, find=_find)
