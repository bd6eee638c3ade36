"""The statements that a piece of work sends, and how PostgreSQL reads the tables for them."""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


@dataclass
class StatementRecorder:
    """For `connection.execute_wrapper`: each different statement once, with the values of its first time."""

    statements: dict[str, Any] = field(default_factory=dict)

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        sql, params, many, _context = arguments
        if not many and sql.lstrip("( \n").startswith(EXPLAINED):
            self.statements.setdefault(sql, params)
        return execute(*arguments)

    def read(self, tables: Collection[str]) -> "ReadTables":
        """Runs the SELECTs again, as they are now."""
        whole: set[str] = set()
        pages = 0
        for sql, params in self.statements.items():
            if any(table in sql for table in tables):
                plan = _plan(sql, params)
                whole |= {node["Relation Name"] for node in _nodes(plan) if node["Node Type"] == "Seq Scan"}
                pages += plan.get("Shared Hit Blocks", 0) + plan.get("Shared Read Blocks", 0)
        return ReadTables(sorted(whole & set(tables)), pages)


@dataclass(frozen=True)
class ReadTables:
    """Which tables a statement reads from end to end, and how many pages of 8 KB all SELECTs touch together."""

    whole: list[str]
    pages: int


def _plan(sql: str, params: Any) -> dict[str, Any]:
    with connection.cursor() as cursor:
        options = "ANALYZE, BUFFERS, FORMAT JSON" if sql.startswith("SELECT") else "FORMAT JSON"
        cursor.execute(f"EXPLAIN ({options}) {sql}", params)
        found = cursor.fetchone()[0]
    plans: list[dict[str, Any]] = json.loads(found) if isinstance(found, str) else found
    plan: dict[str, Any] = plans[0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", []):
        yield from _nodes(part)
