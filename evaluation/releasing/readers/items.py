"""The items of a case in a file of a public release. PURE."""

from __future__ import annotations

from annotation.records.fields import UNKNOWN_ITEM, Misfit, ResolveItem, as_case_id, as_object
from annotation.records.quoting import shown
from annotation.records.report import FileReport
from evaluation.releasing.readers.summaries import place_of


def items_of(case_id: str, value: object, report: FileReport) -> dict[str, object]:
    """What a file has for each item of a case, by the name of the item.

    Empty when ``value`` is no such thing, which is a problem of ``report``, and when there are no
    items: ``cases_without_items`` in ``report.repairs``.
    """
    place = place_of(case_id)
    try:
        as_case_id(case_id, place)
        items = as_object(value, place)
    except Misfit as misfit:
        report.problem(misfit.place, misfit.message)
        return {}
    if not items:
        report.tolerate(place, {"cases_without_items": 1})
    return items


class ItemNames:
    """The keys of the items of one case, each named once; ``resolve`` gives the template's."""

    def __init__(self, resolve: ResolveItem) -> None:
        self._resolve = resolve
        self._names: dict[str, str] = {}

    def key_for(self, name: str, place: str) -> str:
        """Raises ``Misfit`` for what is no item, and for a second name of one."""
        key = self._resolve(name)
        if key is None:
            raise Misfit(place, UNKNOWN_ITEM)
        earlier = self._names.setdefault(key, name)
        if earlier != name:
            raise Misfit(place, f"is the same item as {shown(earlier)}. Take one of the two out.")
        return key
