"""Reads what a control request asks for premises, capacity, ONTs and buyers; every mistake is named at once."""

from typing import Any
from urllib.parse import urlsplit

from seller_sandbox.console.control_requests import (
    InvalidControlRequest,
    Reader,
    day,
    list_of,
    one_of,
    read_members,
    text,
    text_up_to,
    whole,
)
from seller_sandbox.network.models import (
    AppointmentType,
    Classification,
    DrStatus,
    Half,
    Location,
    Ont,
    Project,
    RfsStatus,
)

MAX_CAPACITY = 10_000
# those of the document have three letters
MAX_LOC_CODE = 20

Members = dict[str, Any]


def https_address(value: Any) -> str:
    """One that a message can be posted to."""
    try:
        parts = urlsplit(text(value))
        # reading the port checks it
        is_usable = parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or not value.isascii() or " " in value:
        raise ValueError(
            "must be an address like https://127.0.0.1:9601/buyer-a, with a port from 1 to 65535"
        )
    if "@" in parts.netloc or "#" in value:
        raise ValueError("must be an address without a user name and without a #: neither is sent")
    return value


def flag(value: Any) -> str:
    if not isinstance(value, str) or not value or " " in value:
        raise ValueError("must be one LOC code without blanks")
    return text_up_to(MAX_LOC_CODE)(value)


def text_for(model: type[Location | Ont | Project], field: str) -> Reader:
    """A text that the column can hold."""
    return text_up_to(model._meta.get_field(field).max_length)


def read_release(members: Members) -> Members:
    """Keyword arguments of `network_actions.move_release`, without the UPRN."""
    return {"day": read_members(members, required=("release_on",), release_on=day)["release_on"]}


def read_premises(members: Members) -> Members:
    """Fields of premises and their new values."""
    return read_members(
        members,
        rfs_status=one_of(RfsStatus),
        loc_codes=list_of(flag),
        dr_status=one_of(DrStatus),
        property_type=text_for(Location, "property_type"),
        classification=one_of(Classification),
    )


def read_capacity(members: Members) -> Members:
    """Keyword arguments of `network_actions.set_capacity`, without the area."""
    return read_members(
        members,
        required=("capacity",),
        capacity=whole(0, MAX_CAPACITY),
        appointment_type=one_of(AppointmentType),
        day=day,
        half=one_of(Half),
    )


def read_ont(members: Members) -> Members:
    """Keyword arguments of `network_actions.install_ont`, without the premises."""
    names = {"model": "model_name", "fsan": "fsan", "serialNumber": "serial_number"}
    found = read_members(
        members,
        required=("model",),
        model=text,
        fsan=text_for(Ont, "fsan"),
        serialNumber=text_for(Ont, "serial_number"),
    )
    return {names[name]: value for name, value in found.items()}


def read_project(members: Members) -> Members:
    """Keyword arguments of `network_actions.agree_project`, without the buyer."""
    found = read_members(
        members,
        required=("projectReference", "starts_on", "ends_on"),
        projectReference=text_for(Project, "reference"),
        starts_on=day,
        ends_on=day,
        name=text_for(Project, "name"),
        requirements=text,
    )
    if found["ends_on"] < found["starts_on"]:
        raise InvalidControlRequest(["ends_on: must not lie before starts_on"])
    return {"reference": found.pop("projectReference"), **found}


def read_callback_urls(members: Members) -> list[str]:
    return read_members(members, required=("callback_urls",), callback_urls=list_of(https_address))[
        "callback_urls"
    ]
