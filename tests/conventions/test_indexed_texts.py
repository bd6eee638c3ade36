"""Texts in indexes have a longest length: PostgreSQL refuses a row with more than about 2,700 bytes in one of them."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db.models import CharField, F, Field, Index, Model, TextField, UniqueConstraint

MOST_BYTES = 2600
BYTES_OF_A_CHARACTER = 4
BYTES_OF_A_NUMBER = 16
# of texts that never come into the index with as many bytes as their field has room for
BYTES = {
    # the id as a refused message writes it, when it is one (seller_link/wire/v1/stored_text.py), or an accepted UUID
    "seller_link.InboundMessage.raw_message_id": 64,
    # ASCII only (engineers/push.py)
    "engineers.PushSubscription.endpoint": 1000,
    # from the environment, SELLER_ENDPOINTS
    "seller_link.EndpointHealth.endpoint": 1000,
}


def indexed(model: type[Model]) -> "Iterator[list[Field[Any, Any]]]":
    """The fields of each index of a model."""
    meta = model._meta
    yield from ([field] for field in meta.local_fields if field.unique or field.db_index)
    for index in [*meta.indexes, *meta.constraints]:
        if isinstance(index, Index | UniqueConstraint):
            inside = [part for expression in index.expressions for part in _parts(expression)]
            names = [*index.fields, *(part.name for part in inside if isinstance(part, F))]
            yield [meta.get_field(name.lstrip("-")) for name in names]


def _parts(expression: Any) -> Iterator[Any]:
    yield expression
    for part in getattr(expression, "get_source_expressions", list)():
        yield from _parts(part)


def most_bytes(field: "Field[Any, Any]") -> float:
    if not isinstance(field, CharField | TextField):
        return BYTES_OF_A_NUMBER
    if str(field) in BYTES:
        return BYTES[str(field)]
    return float("inf") if field.max_length is None else field.max_length * BYTES_OF_A_CHARACTER


def test_texts_in_an_index_have_a_longest_length() -> None:
    too_long = [
        [str(field) for field in fields]
        for model in apps.get_models()
        for fields in indexed(model)
        if sum(map(most_bytes, fields)) > MOST_BYTES
    ]

    assert too_long == []
