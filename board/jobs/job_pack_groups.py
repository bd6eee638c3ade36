"""The pack of a job in readable groups, for its page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from board import formatting
from board.messages import job_messages
from dispatch import job_pack
from dispatch.job_pack import classification_text, fault_lines
from dispatch.models import Job


@dataclass(frozen=True)
class PackField:
    name: str
    value: str


@dataclass(frozen=True)
class Group:
    """Some facts of the pack under one heading; only those that the seller gave."""

    title: str
    facts: list[PackField]


def pack_groups(job: Job) -> list[Group]:
    """The pack in readable groups, but for the fault report; members that the seller left out are left out here too."""
    groups = [
        Group(_("Site contact"), _facts(_contact(job))),
        Group(_("Premises"), _facts(_premises(job))),
        Group(_("Order"), _facts(_order(job))),
        Group(_("ONT"), _facts(_ont(job))),
        Group(_("Network"), _facts(_network(job.network))),
    ]
    return [group for group in groups if group.facts]


def fault_story(job: Job) -> list[PackField]:
    """The ticket behind a revisit; empty for a job without one."""
    return _facts(fault_lines(job))


def _facts(pairs: Iterable[tuple[str, str]]) -> list[PackField]:
    return [PackField(name, value) for name, value in pairs if value]


def _contact(job: Job) -> list[tuple[str, str]]:
    return [
        (_("Name"), job.contact_name),
        (_("Phone number"), job.contact_phone),
        (_("E-mail"), job.contact_email),
    ]


def _premises(job: Job) -> list[tuple[str, str]]:
    return [
        (_("Address"), job.address),
        (_("UPRN"), job.uprn),
        (_("Type"), classification_text(job)),
        (_("Notes"), job.site_notes),
    ]


def _order(job: Job) -> list[tuple[str, str]]:
    return [
        (_("Product"), job.product_name),
        (_("Line profile"), job.line_profile),
        (_("Service identifier"), job.service_identifier),
        (_("Buyer's order"), job.buyer_order_reference),
        (_("Seller's order"), job.seller_order_reference),
        (_("Seller's job"), job.seller_job_id),
        (_("Reservation key"), job.reservation_key),
        (_("Follows our job"), job.previous_provider_job_id),
        (_("Received"), _received(job)),
    ]


def _received(job: Job) -> str:
    at = formatting.format_exact_moment(job.received_at)
    return _("%(at)s, received late") % {"at": at} if job.was_received_late else at


def _ont(job: Job) -> list[tuple[str, str]]:
    return [
        (_("Vendor"), job.ont_vendor),
        (_("Model"), job.ont_model),
        (_("FSAN"), job.ont_fsan),
        (_("Serial number"), job.ont_serial_number),
        (_("Preferred ONT location"), job.preferred_ont_location),
    ]


def _network(network: dict[str, Any]) -> list[tuple[str, str]]:
    """As it came: the contract leaves these members to the seller."""
    return [
        (
            job_pack.network_label(name),
            value if isinstance(value, str) else job_messages.format_json(value),
        )
        for name, value in network.items()
    ]
