"""The index over the keywords of jobs, which is each database's own: FTS5 on SQLite, GIN on PostgreSQL.

No number in its name: 0001_initial is made anew with the models until the first release, this one is not.

Measured over 200,000 jobs of 21 keywords: a table of (keyword, job) cost 0.2 ms a job on SQLite and 0.8 ms on PostgreSQL,
FTS5 0.05 and GIN 0.3 (createJob as a whole: 0.7), and a beginning that most jobs share was sorted for up to 0.3 s.
Trigrams need an extension on PostgreSQL and three letters on both.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TABLE = "dispatch_jobsearchtext"
# only the keywords' positions in the rows are kept: no phrases, no ranking. The newest row is found first.
CREATE_SQLITE = [
    f"""CREATE VIRTUAL TABLE dispatch_job_keywords USING fts5
        (keywords, content='{TABLE}', content_rowid='id', detail=none, columnsize=0, prefix='2 3')""",
    # an erased keyword leaves the file at once, not with the next merge
    "INSERT INTO dispatch_job_keywords (dispatch_job_keywords, rank) VALUES ('secure-delete', 1)",
    f"""CREATE TRIGGER dispatch_job_keywords_insert AFTER INSERT ON {TABLE} BEGIN
        INSERT INTO dispatch_job_keywords (rowid, keywords) VALUES (new.id, new.keywords); END""",
    f"""CREATE TRIGGER dispatch_job_keywords_delete AFTER DELETE ON {TABLE} BEGIN
        INSERT INTO dispatch_job_keywords (dispatch_job_keywords, rowid, keywords) VALUES ('delete', old.id, old.keywords); END""",
    f"""CREATE TRIGGER dispatch_job_keywords_update AFTER UPDATE ON {TABLE} BEGIN
        INSERT INTO dispatch_job_keywords (dispatch_job_keywords, rowid, keywords) VALUES ('delete', old.id, old.keywords);
        INSERT INTO dispatch_job_keywords (rowid, keywords) VALUES (new.id, new.keywords); END""",
]
# a short list of pending entries: a long one is worked off by one createJob, which then takes seconds
CREATE_POSTGRESQL = [
    f"""CREATE INDEX dispatch_job_keywords ON {TABLE}
        USING gin (array_to_tsvector(string_to_array(btrim(keywords), ' '))) WITH (gin_pending_list_limit = 256)""",
]
DROP_SQLITE = [f"DROP TRIGGER dispatch_job_keywords_{kind}" for kind in ("insert", "delete", "update")] + [
    "DROP TABLE dispatch_job_keywords"
]


def create_index(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in CREATE_SQLITE if editor.connection.vendor == "sqlite" else CREATE_POSTGRESQL:
        editor.execute(statement)


def drop_index(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in DROP_SQLITE if editor.connection.vendor == "sqlite" else ["DROP INDEX dispatch_job_keywords"]:
        editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("dispatch", "0001_initial")]
    operations = [migrations.RunPython(create_index, drop_index)]
