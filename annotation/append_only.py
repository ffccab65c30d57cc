"""Triggers that refuse to change a row of an append-only table; used by migrations.

Django rebuilds a table on SQLite when a later migration alters it, and the trigger goes with the
old table: such a migration must call :func:`protect` again. A test fails when it does not.
"""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_SQLITE = """
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""
_POSTGRESQL = """
CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '{table} is append-only' USING ERRCODE = 'restrict_violation'; END
$$ LANGUAGE plpgsql;
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_refuse()
"""


def protect(editor: BaseDatabaseSchemaEditor, table: str) -> None:
    """Refuse every UPDATE of ``table`` from now on."""
    sql = _POSTGRESQL if editor.connection.vendor == "postgresql" else _SQLITE
    editor.execute(sql.format(table=table))


def unprotect(editor: BaseDatabaseSchemaEditor, table: str) -> None:
    """Take the trigger away again."""
    if editor.connection.vendor == "postgresql":
        editor.execute(f"DROP TRIGGER IF EXISTS {table}_append_only ON {table}")
        editor.execute(f"DROP FUNCTION IF EXISTS {table}_refuse()")
    else:
        editor.execute(f"DROP TRIGGER IF EXISTS {table}_append_only")
