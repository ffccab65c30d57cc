"""Writing many rows in a short transaction: everything is prepared before it begins.

Whoever stores in a SQLite database holds its write lock, and everybody else who writes waits.
So the statements of an import are made beforehand, with ids that count from 1 for each model, and
laid by in an unnamed file; ``Spool.write`` then gives the rows their real ids and stores them
without more ado. Signals and ``auto_now_add`` play no part.
"""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, ForeignKey, JSONField, Model

from annotation.records.progress import Progress
from evaluation.exporting.meter import STEP

M = TypeVar("M", bound=Model)
Ids = Sequence[int]  # the real id of the row with the id n, at n - 1
_CACHE_KIB = 64 * 1024


@dataclass(frozen=True)
class _Statement:
    """SQL with a place for each of ``fields``."""

    sql: str
    fields: list[Field[Any, Any]]

    def links(self) -> list[tuple[int, type[Model]]]:
        """The places that hold an id, and of which model."""
        return [
            (place, field.remote_field.model if isinstance(field, ForeignKey) else field.model)
            for place, field in enumerate(self.fields)
            if isinstance(field, ForeignKey) or field.primary_key
        ]


class Spool:
    """Rows to be stored, in the order in which they were made; gone when it is closed."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  closed by close()
        self._statements: dict[tuple[type[Model], tuple[str, ...]], int] = {}
        self._made: list[_Statement] = []
        self._cells = _Cells()
        self._count: Counter[type[Model]] = Counter()

    def close(self) -> None:
        self._file.close()

    def create(
        self, model: type[M], objects: Sequence[M], **moments: Sequence[datetime]
    ) -> Sequence[M]:
        """Lay by new ``objects`` and number them from 1.

        Their foreign keys are such numbers, too. ``moments`` are what Django would set to the
        present by itself.
        """
        first = self._count[model] + 1
        self._count[model] += len(objects)
        for number, row in enumerate(objects, first):
            row.pk = number
        for name, values in moments.items():
            for row, value in zip(objects, values, strict=True):
                setattr(row, name, value)
        index, statement = self._statement(model, ())
        fields, cell = statement.fields, self._cells
        self._put(index, [[cell(f, getattr(row, f.attname)) for f in fields] for row in objects])
        return objects

    def update(
        self, model: type[Model], names: tuple[str, ...], rows: Iterable[Sequence[Any]]
    ) -> None:
        """Lay by new values of the fields ``names``; each of ``rows`` ends with the row's id."""
        index, statement = self._statement(model, names)
        fields, cell = statement.fields, self._cells
        self._put(index, [[cell(f, v) for f, v in zip(fields, row, strict=True)] for row in rows])

    def _put(self, index: int, rows: list[list[Any]]) -> None:
        if rows:
            pickle.dump((index, rows), self._file, pickle.HIGHEST_PROTOCOL)

    def _statement(self, model: type[Model], names: tuple[str, ...]) -> tuple[int, _Statement]:
        index = self._statements.get((model, names))
        if index is None:
            index = self._statements[model, names] = len(self._made)
            self._made.append(_update(model, names) if names else _insert(model))
        return index, self._made[index]

    def write(self, known: Mapping[type[Model], Ids], progress: Progress) -> dict[type[Model], Ids]:
        """Store everything; the real ids of all models. Use it inside a transaction.

        ``known`` are the ids of rows that the database has already. ``progress`` hears of bytes of
        this file.
        """
        ids = {**known, **{model: _new_ids(model, n) for model, n in self._count.items()}}
        links = [[(at, ids.get(model, ())) for at, model in made.links()] for made in self._made]
        total, said = self._file.tell(), 0
        self._file.seek(0)
        with _large_cache(), connection.cursor() as cursor:
            while (done := self._file.tell()) < total:
                if done - said >= STEP:
                    progress(done, total)
                    said = done
                index, rows = pickle.load(self._file)  # noqa: S301  nobody else has this file
                for row in rows:
                    for at, real in links[index]:
                        if row[at] is not None:
                            row[at] = real[row[at] - 1]
                cursor.executemany(self._made[index].sql, rows)
        progress(total, total)
        return ids


def _insert(model: type[Model]) -> _Statement:
    quote = connection.ops.quote_name
    fields = list(model._meta.concrete_fields)
    columns = ", ".join(quote(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    table = quote(model._meta.db_table)
    return _Statement(f"INSERT INTO {table} ({columns}) VALUES ({places})", fields)  # noqa: S608


def _update(model: type[Model], names: tuple[str, ...]) -> _Statement:
    quote = connection.ops.quote_name
    by_name = {field.name: field for field in model._meta.concrete_fields}
    fields = [*(by_name[name] for name in names), model._meta.pk]
    *columns, key = (quote(str(field.column)) for field in fields)
    changes = ", ".join(f"{column} = %s" for column in columns)
    table = quote(model._meta.db_table)
    return _Statement(f"UPDATE {table} SET {changes} WHERE {key} = %s", fields)  # noqa: S608


class _Cells:
    """Values as the database takes them. The connection is looked up once, not once a cell."""

    def __init__(self) -> None:
        self._connection = connections[DEFAULT_DB_ALIAS]

    def __call__(self, field: Field[Any, Any], value: Any) -> Any:
        if value is None:
            if isinstance(field, JSONField) and not field.null:
                # The JSON null, not no value.
                return self._connection.ops.adapt_json_value(None, field.encoder)
            return None
        return field.get_db_prep_save(value, self._connection)


def _new_ids(model: type[Model], count: int) -> Ids:
    """Ids that no row has or ever had, ascending."""
    table, key = model._meta.db_table, str(model._meta.pk.column)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
                [connection.ops.quote_name(table), key, count],
            )
            return array("q", sorted(row[0] for row in cursor))
        # Nobody else can write: a transaction of this site takes the write lock when it begins.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
    last = row[0] if row else 0
    return range(last + 1, last + 1 + count)


@contextmanager
def _large_cache() -> Iterator[None]:
    """SQLite writes a page of an index once and not again and again when it can keep it."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA cache_size")
        before = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA cache_size = {int(before)}")
