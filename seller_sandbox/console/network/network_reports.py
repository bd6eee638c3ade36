"""What the control interface reports of premises, appointment capacity and buyers; wire names as on the wire."""

from collections import defaultdict
from typing import Any

from seller_sandbox import clock
from seller_sandbox.network import locations, products, services, slots
from seller_sandbox.network.models import Buyer, Location, Ont, Service, SlotCapacity


def report_location(location: Location) -> dict[str, Any]:
    """Premises with what is installed and live there, and the orders on them."""
    release_on = location.cabinet.release_on
    return {
        "uprn": location.uprn,
        "lines": location.lines,
        "town": location.town,
        "postcode": location.postcode,
        "area": location.area,
        "property_type": location.property_type,
        "classification": location.classification,
        "rfs_status": locations.rfs_status_on(location, clock.today()),
        "loc_codes": location.loc_codes,
        "dr_status": location.dr_status or None,
        "cabinet": {"name": location.cabinet.name, "release_on": release_on and release_on.isoformat()},
        "products": [product.name for product in location.product_group.products.order_by("id")],
        "situation": location.situation or None,
        "ont": _report_ont(products.find_ont(location)),
        "service": _report_service(services.find_live(location)),
        "orders": list(location.orders.values_list("seller_order_reference", flat=True)),
    }


def _report_ont(ont: Ont | None) -> dict[str, Any] | None:
    if ont is None:
        return None
    model = ont.ont_model
    return {
        "vendor": model.vendor,
        "model": model.model,
        "fsan": ont.fsan,
        "serialNumber": ont.serial_number,
    }


def _report_service(service: Service | None) -> dict[str, Any] | None:
    if service is None:
        return None
    return {
        "serviceIdentifier": service.service_identifier,
        "buyer": service.buyer.identifier,
        "productName": service.product.name,
        "ont_port": service.ont_port,
        "nniIdentifier": service.nni_identifier,
        "s_vlan": service.s_vlan,
        "c_vlan": service.c_vlan,
        "lineProfile": service.line_profile,
        "started_at": service.started_at.isoformat(),
    }


def report_capacity(location: Location) -> dict[str, Any]:
    """Visits of the premises' area: usual ones by type, and half days from today on with their own or used ones."""
    usual: dict[str, dict[str, int]] = defaultdict(dict)
    for row in SlotCapacity.objects.filter(area=location.area, day=None).order_by("appointment_type", "half"):
        usual[row.appointment_type][row.half] = row.capacity
    return {"area": location.area, "usual": usual, "days": _report_days(location.area, usual)}


def _report_days(area: str, usual: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    own = slots.own_capacities(area, first=clock.today())
    used = slots.used_visits(area, first=clock.today())
    return [
        {
            "appointment_type": kind,
            "day": day.isoformat(),
            "half": half,
            "capacity": own.get((kind, day, half), usual[kind].get(half, 0)),
            "used": used[kind, day, half],
        }
        for kind, day, half in sorted(own.keys() | used.keys())
    ]


def report_buyer(buyer: Buyer) -> dict[str, Any]:
    """Where it takes its notifications, and its agreed projects."""
    return {
        "identifier": buyer.identifier,
        "subject": buyer.subject,
        "callback_urls": buyer.callback_urls,
        "projects": [
            {
                "projectReference": project.reference,
                "name": project.name,
                "starts_on": project.starts_on.isoformat(),
                "ends_on": project.ends_on.isoformat(),
                "requirements": project.requirements,
            }
            for project in buyer.projects.order_by("reference")
        ],
    }
