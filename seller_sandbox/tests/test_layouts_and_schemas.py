"""What the layouts of messages say of their texts is what the schemas say (docs/order-messages.md, Types)."""

from collections.abc import Iterator, Sequence

import pytest

from seller_sandbox.faults.wire import namespaces as fault_namespaces
from seller_sandbox.faults.wire import request_layouts as fault_requests
from seller_sandbox.faults.wire.notifications import NOTIFICATION as FAULT_NOTIFICATION
from seller_sandbox.orders.wire import namespaces as order_namespaces
from seller_sandbox.orders.wire import request_layouts as order_requests
from seller_sandbox.orders.wire.notification_layouts import NOTIFICATION as ORDER_NOTIFICATION
from seller_sandbox.soap import schema_model
from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.layout import FreeText, Group, Many, Part, Text

ORDERS, FAULTS = order_namespaces.INTERFACE, fault_namespaces.INTERFACE
MESSAGES = [
    *((ORDERS, layout.tag, layout.parts) for layout in order_requests.LAYOUTS.values()),
    (ORDERS, order_namespaces.base("notifyOfOrderStatus"), ORDER_NOTIFICATION),
    *((FAULTS, fault_namespaces.tag(row.name), row.parts) for row in fault_requests.LAYOUTS.values()),
    (FAULTS, fault_namespaces.tag("notifyResolved"), FAULT_NOTIFICATION),
]


def texts(interface: Interface, parts: Sequence[Part], type_name: str) -> Iterator[tuple[Text, str]]:
    """Every text of a layout, with the name of its type in the schema."""
    declared = {row.tag: row for row in schema_model.types(interface)[type_name].children}
    for part in parts:
        row = declared.get(part.tag)
        if row and isinstance(part, Group | Many):
            yield from texts(interface, part.parts, row.type_name)
        elif row and isinstance(part, Text):
            yield part, row.type_name.rpartition("}")[2]


@pytest.mark.parametrize(
    ("interface", "tag", "parts"), MESSAGES, ids=[tag.rpartition("}")[2] for _, tag, _ in MESSAGES]
)
def test_free_texts_and_no_others_are_read_as_they_were_written(
    interface: Interface, tag: str, parts: Sequence[Part]
) -> None:
    found = [*texts(interface, parts, schema_model.messages(interface)[tag].type_name)]

    assert found
    assert {text.name for text, _ in found if isinstance(text, FreeText)} == {
        text.name for text, type_name in found if type_name == "FreeText"
    }
