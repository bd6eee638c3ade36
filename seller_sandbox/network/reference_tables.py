"""The fixed data as Markdown tables: what README.md shows under "Test premises" and list_test_premises prints."""

from collections.abc import Iterable, Iterator
from typing import Any

from seller_sandbox.network import data_files
from seller_sandbox.network.fixed_premises import situations


def as_markdown() -> str:
    """All five tables, one blank line between them."""
    tables = [_premises(), _products(), _auxiliary_services(), _buyers(), _projects()]
    return "\n\n".join("\n".join(table) for table in tables)


def _premises() -> Iterator[str]:
    rows = [
        (_uprns(situation.uprn(1), situation.uprn(situation.copies)), situation.postcode, situation.title)
        for situation in situations()
    ]
    return _table(("UPRN", "postcode", "situation"), rows)


def _uprns(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def _products() -> Iterator[str]:
    data, buyers = data_files.read("products"), data_files.read("buyers")["buyers"]
    rows = [
        (
            product["name"],
            _list(buyer["identifier"] for buyer in buyers if product["name"] in buyer["products"]),
            _list(product["line_profiles"]),
            _list(_ont_names(data, product["name"])),
        )
        for product in data["products"]
    ]
    return _table(("product", "permitted for", "line profiles", "ONTs that support it"), rows)


def _ont_names(data: dict[str, Any], product: str) -> Iterator[str]:
    for model in data["ont_models"]:
        if product in model["products"]:
            yield f"{model['vendor']} {model['model']}"


def _auxiliary_services() -> Iterator[str]:
    data, buyers = data_files.read("products"), data_files.read("buyers")["buyers"]
    rows = []
    for service in data["auxiliary_services"]:
        code = service["code"]
        permitted = _list(buyer["identifier"] for buyer in buyers if code in buyer["auxiliary_services"])
        suitable = [product["name"] for product in data["products"] if code in product["auxiliary_services"]]
        rows.append((code, service["title"], permitted, _list(suitable)))
    return _table(("auxiliary service", "is", "permitted for", "with the products"), rows)


def _buyers() -> Iterator[str]:
    rows = [
        (
            buyer["identifier"],
            buyer["subject"],
            str(buyer["notice_days"]),
            _list(name for name, areas in buyer["nnis"].items() if areas),
            _list(name for name, areas in buyer["nnis"].items() if not areas),
        )
        for buyer in data_files.read("buyers")["buyers"]
    ]
    names = ("buyer", "common name", "days of notice", "ENNIs, Local Access", "ENNIs, National Access")
    return _table(names, rows)


def _projects() -> Iterator[str]:
    rows = [
        (project["reference"], project["buyer"], f"{project['starts_on']} to {project['ends_on']}")
        for project in data_files.read("buyers")["projects"]
    ]
    return _table(("project reference", "buyer", "dates"), rows)


def _table(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield _row(names)
    yield "|" + "---|" * len(names)
    yield from map(_row, rows)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _list(values: Iterable[str]) -> str:
    return ", ".join(values) or "none"
