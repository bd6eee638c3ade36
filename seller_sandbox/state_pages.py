"""Tables of states as Markdown, for the generated pages in docs/: a cell of the table, and the picture."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from django.db.models import TextChoices


class DocumentedTransition(Protocol):
    """A row of a table of states; without sources it makes the row, without a target the state stays."""

    @property
    def sources(self) -> Iterable[Any]: ...

    @property
    def target(self) -> TextChoices | None: ...


def transition_cell(row: DocumentedTransition, state: TextChoices | None) -> str:
    """What an event does in this state; None: there is no row yet."""
    is_possible = not row.sources if state is None else state in row.sources
    if not is_possible:
        return ""
    return f"→ {row.target.label}" if row.target else "·"


def state_picture(
    states: type[TextChoices], transitions: Mapping[Any, DocumentedTransition]
) -> Iterator[str]:
    """The diagram, by kind of event."""
    yield "\n```mermaid\nstateDiagram-v2"
    for state in states:
        yield f"    {state.value}: {state.label}"
    for kind, row in transitions.items():
        if row.target is not None:
            starts = [state.value for state in states if state in row.sources] or ["[*]"]
            yield from (f"    {start} --> {row.target.value}: {kind.label}" for start in starts)
    yield "```"
