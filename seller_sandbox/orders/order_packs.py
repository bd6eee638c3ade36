"""The job pack of a visit, from its order and its premises (job-messages.md, createJob)."""

from random import Random
from typing import Any
from uuid import UUID

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.jobs.packs.maker import make_network
from seller_sandbox.network import products
from seller_sandbox.network.models import Location
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders.models import Order, OrderVisit, VisitPurpose

# LOC codes that the job interface has as property flags
FLAGS = ("CHP", "DAN", "DTL", "SUR", "MDU", "WSD")
# "Fault at Pole (cherry picker required)" (installation-jobs.md, Closure codes)
CHERRY_PICKER_CODE = "CPR"
UNKNOWN_CONTACT = "Site contact not given"
# from the range that Ofcom keeps free for drama: a pack needs a number
UNKNOWN_PHONE = "0113 496 0000"
NOTES = {
    VisitPurpose.SURVEY: "Physical survey for a complex install: no work on the premises.",
    VisitPurpose.EXTERNAL: "Build to wall.",
    VisitPurpose.CIVILS: "Civils before the build to wall.",
}

ASSUMPTIONS = {
    "wayleave_obtained": "Wayleave obtained",
    "is_within_scope": "Install under 15 m outside and 10 m inside on the ground floor",
    "has_power_sockets": "Two power sockets within 1 m",
}

_VISITS_OF_OUTCOME = CompiledQuery(
    lambda: OrderVisit.objects.filter(order=Parameter("order"), outcome=Parameter("outcome")).values_list(
        "pk"
    )
)


def build(
    order: Order,
    *,
    job_type: str,
    purpose: VisitPurpose,
    key: UUID,
    slot: Slot,
) -> dict[str, Any]:
    """The members of createJob without its envelope; `key` is the reservation key."""
    location, amendable = order.location, amendable_members(order, purpose)
    return {
        "jobType": job_type,
        "orderReferences": references_of(order),
        "serviceIdentifier": order.service_identifier,
        "product": amendable["product"],
        "property": property_of(location, flags=_flags(order, purpose)),
        "siteContact": amendable["siteContact"],
        "site": amendable["site"],
        "appointment": {
            "reservationKey": str(key),
            "start": slot.starts_at.isoformat(),
            "end": slot.ends_at.isoformat(),
        },
        **ont_of(location),
        # where the premises hang in the network is the same each time
        "network": make_network(Random(location.uprn)),  # noqa: S311  # names of nodes, not keys
    }


def amendable_members(order: Order, purpose: VisitPurpose) -> dict[str, Any]:
    """The members that an amendment can change without another appointment."""
    return {
        "product": _product(order),
        "siteContact": _contact(order),
        "site": _site(order, purpose),
    }


def _flags(order: Order, purpose: VisitPurpose) -> list[str]:
    """Of the premises, of a survey, and the cherry picker that an engineer before this one did without."""
    flags = [code for code in order.location.loc_codes if code in FLAGS]
    if purpose == VisitPurpose.SURVEY:
        flags.append("SUR")
    if _VISITS_OF_OUTCOME.is_found(order=order.pk, outcome=CHERRY_PICKER_CODE):
        flags.append("CHP")
    return list(dict.fromkeys(flags))


def references_of(order: Order) -> dict[str, str]:
    """The `orderReferences` member; a buyer's reference that is too long stays out."""
    own = {"sellerOrderReference": order.seller_order_reference}
    return {"buyerOrderReference": order.buyer_order_reference, **own} if order.holds_reference else own


def _product(order: Order) -> dict[str, str]:
    profile = order.configuration.get("line_profile") or next(iter(order.product.line_profiles), "")
    return {"productName": order.product.title, **({"lineProfile": profile} if profile else {})}


def property_of(location: Location, *, flags: list[str]) -> dict[str, Any]:
    """The `property` member."""
    return {
        "uprn": location.uprn,
        "address": {"lines": location.lines, "town": location.town, "postcode": location.postcode},
        "latitude": location.latitude,
        "longitude": location.longitude,
        "classification": location.classification,
        "flags": flags,
    }


def _contact(order: Order) -> dict[str, str]:
    site = order.site
    email = {"email": site["contact_email"]} if site.get("contact_email") else {}
    return {
        "name": site.get("contact_name") or UNKNOWN_CONTACT,
        "phone": site.get("contact_phone") or UNKNOWN_PHONE,
        **email,
    }


def _site(order: Order, purpose: VisitPurpose) -> dict[str, str]:
    """Access restrictions, ONT location and hazards reach the engineer (What the service does)."""
    site = order.site
    texts = {
        "accessRestrictions": site.get("access_restrictions", ""),
        "preferredOntLocation": site.get("preferred_ont_location", ""),
        "hazards": site.get("hazards", ""),
        "notes": " ".join([*_stage_note(purpose), *_assumptions(site)]),
    }
    return {name: text for name, text in texts.items() if text}


def _stage_note(purpose: VisitPurpose) -> list[str]:
    return [NOTES[purpose]] if purpose in NOTES else []


def _assumptions(site: dict[str, Any]) -> list[str]:
    """What the buyer has confirmed or denied of the three assumptions; what it left open is not said."""
    return [
        f"{assumption}: {'yes' if site[name] else 'no'}."
        for name, assumption in ASSUMPTIONS.items()
        if site.get(name) is not None
    ]


def ont_of(location: Location) -> dict[str, Any]:
    """The `ont` member: what is installed already; nothing where there is none."""
    ont = products.find_ont(location)
    if ont is None:
        return {}
    model = ont.ont_model
    return {
        "ont": {
            "vendor": model.vendor,
            "model": model.model,
            "fsan": ont.fsan,
            "serialNumber": ont.serial_number,
        }
    }
