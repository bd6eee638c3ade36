"""Buyers test their own live services."""

from seller_sandbox.diagnostics import service_paths
from seller_sandbox.diagnostics.caller_scopes import DiagnosticsScope
from seller_sandbox.diagnostics.service_paths import ServicePath
from seller_sandbox.network import buyers
from seller_sandbox.network.models import Service


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
