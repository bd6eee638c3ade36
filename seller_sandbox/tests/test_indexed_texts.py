"""Texts in indexes have a longest length: PostgreSQL refuses a row with more than about 2,700 bytes in one of them."""

from collections.abc import Iterator

from django.apps import apps
from django.db.models import CharField, Field, Model, TextField, UniqueConstraint
from django.db.models.constants import LOOKUP_SEP

MOST_BYTES = 2600
BYTES_OF_A_CHARACTER = 4
BYTES_OF_A_NUMBER = 16
# texts without a longest length of their own that never come into the index longer than this many characters
BOUNDED = {
    # the constraint is for references that an order holds, and it holds none that is longer (orders/placing.py)
    "sandbox_orders.Order.buyer_order_reference": 36,
    # faultReport.xsd, BuyerReference
    "sandbox_faults.FaultReport.buyer_fault_reference": 100,
}


def indexed(model: type[Model]) -> Iterator[list[Field]]:
    """The fields of each index of a model."""
    meta = model._meta
    yield from ([field] for field in meta.local_fields if field.unique or field.db_index)
    for index in [*meta.indexes, *meta.constraints]:
        if index in meta.constraints and not isinstance(index, UniqueConstraint):
            continue
        assert not index.expressions, f"say here how long {index.name} can be"
        yield [meta.get_field(name.lstrip("-").split(LOOKUP_SEP)[0]) for name in index.fields]


def most_bytes(field: Field) -> float:
    if not isinstance(field, CharField | TextField):
        return BYTES_OF_A_NUMBER
    most = BOUNDED.get(str(field), field.max_length)
    return float("inf") if most is None else most * BYTES_OF_A_CHARACTER


def test_texts_in_an_index_have_a_longest_length() -> None:
    too_long = [
        [str(field) for field in fields]
        for model in apps.get_models()
        for fields in indexed(model)
        if sum(map(most_bytes, fields)) > MOST_BYTES
    ]

    assert too_long == []
