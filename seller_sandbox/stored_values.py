"""Rows of which a change writes the changed columns alone: an order or a ticket has many, and changes often."""

from collections.abc import Collection, Iterable
from copy import deepcopy
from typing import Any, Self

from seller_sandbox.compiled_saves import CompiledSave


class StoredValues(CompiledSave):
    """Knows which of its fields differ from its row, so that a change writes those alone."""

    class Meta:
        abstract = True

    _stored: dict[str, Any]

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any]) -> Self:
        made = super().from_db(db, field_names, values)
        made._keep_stored(None)
        return made

    def save(self, *, update_fields: Iterable[str] | None = None, **options: Any) -> None:
        names = None if update_fields is None else list(update_fields)
        super().save(update_fields=names, **options)
        self._keep_stored(names)

    def refresh_from_db(self, *arguments: Any, **options: Any) -> None:
        super().refresh_from_db(*arguments, **options)
        self._keep_stored(None)

    def save_changes(self) -> None:
        """Write what differs from the row, nothing at all when nothing does; a new row is inserted."""
        if self._state.adding:
            self.save()
            return
        changed = [
            field.name
            for field in self._meta.concrete_fields
            if field.attname not in self._stored
            or self._stored[field.attname] != getattr(self, field.attname)
        ]
        if changed:
            self.save(update_fields=changed)

    def _keep_stored(self, names: list[str] | None) -> None:
        fields = [field for field in self._meta.concrete_fields if names is None or field.name in names]
        found = {
            field.attname: self.__dict__[field.attname] for field in fields if field.attname in self.__dict__
        }
        stored = {} if names is None else self._stored
        # a copy, since a list or an object may be changed in its place
        copies = {name: deepcopy(found[name]) for name in found if isinstance(found[name], list | dict)}
        self._stored = {**stored, **found, **copies}
