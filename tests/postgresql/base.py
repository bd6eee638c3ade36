"""Named by tests/environment.py; the product's processes in tests have Django's own backend."""

from collections.abc import Sequence
from typing import Any

from django.db.backends.postgresql import base, operations

# from the models, and made again after every flush where they are not
MADE_BY_DJANGO = {"django_content_type", "auth_permission"}


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(self, _style: Any, tables: Sequence[str], **_options: Any) -> list[str]:
        """TRUNCATE makes new files for each of sixty tables and their indexes; a test leaves a few rows.

        Foreign keys are looked at when all is deleted: Django makes them deferred.
        """
        return [f"DELETE FROM {self.quote_name(table)}" for table in tables if table not in MADE_BY_DJANGO]


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
