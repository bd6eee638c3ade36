"""Devices and live services at premises, and the RFS status that follows them (order-provisioning.md, Location)."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from seller_sandbox import clock
from seller_sandbox.network import products, services
from seller_sandbox.network.models import AuxiliaryService, Location, Ont, OntModel, RfsStatus, Service
from seller_sandbox.network.services import Handover
from seller_sandbox.tests.network.samples import NATIONAL_160, buyer, premises, product

pytestmark = pytest.mark.usefixtures("network")
HANDOVER = Handover("ENNI-A8", 100, 7, "160-VLAN911", "remote-1", "pppoe")


def install(location: Location, *, model: str = "XS-010X-Q", fsan: str = "ALCL99999999") -> Ont:
    return services.install_ont(
        location=location,
        ont_model=OntModel.objects.get(model=model),
        fsan=fsan,
        serial_number="S-1",
        at=clock.now(),
    )


def start(location: Location, ont: Ont, handover: Handover = HANDOVER) -> Service:
    return services.start(
        location=location,
        ont=ont,
        buyer=buyer(),
        product=product(NATIONAL_160),
        handover=handover,
        service_identifier=services.new_identifier(),
        at=clock.now(),
    )


def test_life_of_premises_from_first_install_to_cease() -> None:
    location = premises(1)

    ont = install(location)
    assert premises(1).rfs_status == RfsStatus.RFS_3
    service = start(location, ont)
    assert premises(1).rfs_status == RfsStatus.RFS_4
    assert services.find_live(location) == service == services.find(service.service_identifier)
    services.end(service=service, at=clock.now())

    assert premises(1).rfs_status == RfsStatus.RFS_3
    assert services.find_live(location) is None
    assert products.find_ont(location) == ont


def test_service_keeps_its_configuration() -> None:
    codes = AuxiliaryService.objects.filter(code__in=["BATTERY-BACKUP", "MULTICAST"])
    handover = Handover("ENNI-A9", 4094, 1, "160-VLAN0", "remote-2", "dhcp", codes)
    location = premises(10)

    service = start(location, products.find_ont(location), handover)

    stored = services.find(service.service_identifier)
    assert stored
    assert (stored.nni_identifier, stored.s_vlan, stored.c_vlan, stored.line_profile) == (
        "ENNI-A9",
        4094,
        1,
        "160-VLAN0",
    )
    assert (stored.agent_remote_id, stored.authentication_protocol, stored.ont_port) == (
        "remote-2",
        "dhcp",
        1,
    )
    assert {entry.code for entry in stored.auxiliary_services.all()} == {"BATTERY-BACKUP", "MULTICAST"}


def test_second_live_service_is_refused_until_the_first_has_ended() -> None:
    location = premises(24)
    losing, ont = services.find_live(location), products.find_ont(location)
    assert losing
    with pytest.raises(IntegrityError), transaction.atomic():
        start(location, ont)

    services.end(service=losing, at=clock.now())
    gaining = start(location, ont)

    assert services.find_live(location) == gaining
    assert premises(24).rfs_status == RfsStatus.RFS_4


def test_service_ends_once() -> None:
    service = services.find("FBR001002001")
    assert service
    first = clock.now()
    services.end(service=service, at=first)
    services.end(service=service, at=first + timedelta(days=1))

    assert Service.objects.get(pk=service.pk).ended_at == first


def test_service_does_not_end_before_it_began() -> None:
    service = services.find("FBR001002001")
    assert service
    services.end(service=service, at=service.started_at - timedelta(days=1))

    assert service.ended_at == service.started_at


def test_swapped_ont_carries_the_live_service_on() -> None:
    location = premises(26)
    old = products.find_ont(location)
    assert old
    assert not products.supports(old, product("Residential FTTH Local Access 1 Gbps"))

    new = install(location)

    service = services.find_live(location)
    assert service
    assert (service.ont, products.find_ont(location)) == (new, new)
    assert Ont.objects.get(pk=old.pk).removed_at
    assert products.supports(new, product("Residential FTTH Local Access 1 Gbps"))


def test_same_ont_again_changes_nothing() -> None:
    location = premises(1)

    assert install(location) == install(location)
    assert location.onts.count() == 1


def test_ont_cannot_be_installed_twice_at_once() -> None:
    install(premises(1))

    with pytest.raises(IntegrityError), transaction.atomic():
        install(premises(2))


def test_vlans_are_right_and_differ() -> None:
    numbers = [*range(10_000), 10**6, 10**9]
    vlans = [services.vlans_for(number) for number in numbers]

    assert all(1 <= vlan <= 4094 for pair in vlans for vlan in pair)
    assert len(set(vlans)) == len(numbers)


def test_new_identifiers_are_no_service_s() -> None:
    identifiers = {services.new_identifier() for _ in range(20)}

    assert len(identifiers) == 20
    assert all(len(identifier) == 12 for identifier in identifiers)
    assert services.find("FBR999") is None
