"""Finds the account behind a certificate or an identifier, and sets where it wants its notifications."""

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.network.models import Buyer

_BY_SUBJECT = CompiledQuery(lambda: Buyer.objects.filter(subject=Parameter("subject"), is_active=True))


def find(identifier: str) -> Buyer | None:
    return Buyer.objects.filter(identifier=identifier.strip(), is_active=True).first()


def find_by_subject(subject: str) -> Buyer | None:
    """The active buyer whose certificate has this common name."""
    return _BY_SUBJECT.first(subject=subject)


def has_subject(subject: str) -> bool:
    """Whether an active buyer has a certificate with this common name."""
    return find_by_subject(subject) is not None


def set_callback_urls(buyer: Buyer, urls: list[str]) -> None:
    """Base addresses of the buyer's callback endpoints, tried in turn."""
    buyer.callback_urls = urls
    buyer.save(update_fields=["callback_urls"])
