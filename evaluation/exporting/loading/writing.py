"""Writing many rows fast: ids known beforehand, moments as they are given, no signals.

An import holds the write lock of a SQLite database while it stores, and everybody else who
writes waits for it. Rows are therefore inserted by prepared statements, without what the ORM adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Field, JSONField, Model

M = TypeVar("M", bound=Model)


def create(model: type[M], objects: Sequence[M], **moments: Sequence[datetime]) -> list[M]:
    """Store new ``objects`` and give them their ids.

    ``moments`` are what Django would set to the present by itself. Use it inside a transaction.
    """
    made = list(objects)
    if not made:
        return made
    for row, pk in zip(made, _new_ids(model, len(made)), strict=True):
        row.pk = pk
    for name, values in moments.items():
        for row, value in zip(made, values, strict=True):
            setattr(row, name, value)
    sql, fields = _insert(model)
    with connection.cursor() as cursor:
        cursor.executemany(sql, [[_cell(field, row) for field in fields] for row in made])
    return made


def update(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Set the fields called ``names`` of many rows; each of ``rows`` ends with the row's id."""
    quote = connection.ops.quote_name
    fields = {field.name: field for field in model._meta.concrete_fields}
    columns = ", ".join(f"{quote(str(fields[name].column))} = %s" for name in names)
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {table} SET {columns} WHERE {key} = %s", list(rows))  # noqa: S608


@lru_cache
def _insert(model: type[Model]) -> tuple[str, list[Field[Any, Any]]]:
    quote = connection.ops.quote_name
    fields = list(model._meta.concrete_fields)
    columns = ", ".join(quote(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})", fields  # noqa: S608


def _cell(field: Field[Any, Any], row: Model) -> Any:
    value = getattr(row, field.attname)
    if value is None and isinstance(field, JSONField) and not field.null:
        return connection.ops.adapt_json_value(None, field.encoder)  # the JSON null, not no value
    return field.get_db_prep_save(value, connection)


def _new_ids(model: type[Model], count: int) -> list[int]:
    """Ids that no row has or ever had, ascending."""
    table, key = model._meta.db_table, str(model._meta.pk.column)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
                [connection.ops.quote_name(table), key, count],
            )
            return sorted(row[0] for row in cursor.fetchall())
        # Nobody else can write: a transaction of this site takes the write lock when it begins.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
    last = row[0] if row else 0
    return list(range(last + 1, last + 1 + count))
