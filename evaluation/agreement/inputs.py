"""The data that the command reads, one model a shape, and errors in sentences. PURE."""

from __future__ import annotations

import difflib
import json
import math
from typing import Annotated, Any, Literal, NoReturn

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StrictInt,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from evaluation.agreement.alpha import Level
from evaluation.agreement.intervals import DRAWS, Resampling
from evaluation.agreement.matching import Average
from evaluation.agreement.result import Method
from evaluation.agreement.weights import Weights

LARGEST = 2**53


class BadData(Exception):
    """Data that no statistic can be computed from; the message says what to change."""


def _label(value: object) -> str | int | float | bool:
    if isinstance(value, str | bool | float):
        return value
    if isinstance(value, int):
        if abs(value) <= LARGEST:
            return value
        raise ValueError("a number beyond 2 to the power of 53 cannot be told from its neighbours")
    raise ValueError("a label is a string or a number")


def _rating(value: object) -> str | int | float | bool | None:
    return None if value is None else _label(value)


def _index(value: object) -> int | list[int]:
    for index in value if isinstance(value, list) else [value]:
        if type(index) is not int or abs(index) > LARGEST:
            raise ValueError("an index is a whole number, or a list of them")
    return value  # type: ignore[return-value]


def _case(value: object) -> str | int:
    if isinstance(value, str) or (type(value) is int and abs(value) <= LARGEST):
        return value
    raise ValueError("a cluster id is a string or a whole number, never null")


_ANY_LABEL = WithJsonSchema({"type": ["string", "number", "boolean"]})
Label = Annotated[Any, PlainValidator(_label), _ANY_LABEL]
Rating = Annotated[
    Any, PlainValidator(_rating), WithJsonSchema({"type": ["string", "number", "boolean", "null"]})
]
CaseId = Annotated[Any, PlainValidator(_case), WithJsonSchema({"type": ["string", "integer"]})]
Ratings = Annotated[list[Rating], Field(min_length=1)]
Levels = Annotated[list[Label], Field(min_length=1, max_length=1000)]
Pair = Annotated[
    list[Annotated[Any, PlainValidator(_index), WithJsonSchema({"type": ["integer", "array"]})]],
    Field(min_length=2, max_length=2),
]
Size = Annotated[StrictInt, Field(ge=0, le=100_000)]
Count = Annotated[float, Field(strict=True, ge=0, le=LARGEST)]


class Data(BaseModel):
    """What every statistic may be given: how an interval is drawn."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Method | None = Field(None, description="jackknife_t, percentile, bca; how")
    seed: Annotated[StrictInt, Field(ge=0, le=LARGEST)] = Field(
        0, description="of the bootstrap draws"
    )
    draws: Annotated[StrictInt, Field(ge=1, le=1_000_000)] = Field(
        DRAWS, description="of the bootstrap"
    )

    @property
    def how(self) -> Resampling:
        """How the interval is to be made."""
        return Resampling(method=self.method, draws=self.draws, seed=self.seed)


class ClusteredData(Data):
    """Data whose units may be grouped into cases."""

    clusters: list[CaseId] | None = Field(None, description="case of every unit: asks for interval")


class AgainstHuman(ClusteredData):
    """A judge's single answers and the agreed labels."""

    human: Ratings = Field(description="agreed label a unit, null: excluded")
    judge: Ratings = Field(description="judge's label a unit, null: invalid answer")
    levels: Levels | None = Field(None, description="full scale")


class TwoRaters(ClusteredData):
    """Two raters' labels."""

    a: Ratings = Field(description="label a unit, null: missing")
    b: Ratings = Field(description="label a unit, null: missing")
    levels: Levels | None = Field(None, description="full scale in order; needed with weights")
    weights: Weights = Field(Weights.NONE, description="none, linear, quadratic")


class TwoRatersOnScale(TwoRaters):
    """Two raters' labels on a scale whose unused levels count."""

    levels: Levels = Field(description="full scale in order")


class ManyRaters(ClusteredData):
    """Raters x units."""

    ratings: Annotated[list[list[Rating]], Field(min_length=1)] = Field(
        description="raters x units, null: missing"
    )
    levels: Levels | None = Field(None, description="full scale in order")


class ManyRatersMeasured(ManyRaters):
    """Raters x units at a stated level of measurement."""

    level: Level = Field(description="nominal, ordinal, interval, ratio")


class ThreeRaters(ManyRaters):
    """Raters x units; the level is for the alpha beside the value."""

    level: Level = Field(Level.NOMINAL, description="of the alpha shown beside it")


class ListAnswers(ClusteredData):
    """What every statistic of index pairs may be given."""

    first_index: Literal[0, 1] = Field(1, description="0 or 1: where indices start")
    sizes: list[tuple[Size, Size]] | None = Field(
        None, description="values on both sides, an item: out-of-range pairs are then dropped"
    )
    average: Average = Field(Average.MICRO, description="micro, macro, macro_nonempty")


class PairsAgainstHuman(ListAnswers):
    """Matched index pairs of a judge and the agreed ones."""

    human: Annotated[list[list[Pair] | None], Field(min_length=1)] = Field(
        description="an item: list of [a, b] pairs, null: excluded"
    )
    judge: Annotated[list[list[Pair] | None], Field(min_length=1)] = Field(
        description="an item: list of [a, b] pairs, null: invalid answer"
    )


class PairsOfAnnotators(ListAnswers):
    """Matched index pairs of several annotators."""

    annotators: Annotated[list[list[list[Pair] | None]], Field(min_length=2)] = Field(
        description="annotators x items: list of [a, b] pairs, null: no answer"
    )


class MatchedValues(ClusteredData):
    """Numbers of values and matched pairs, of a list of items or of a single one."""

    n_model: list[Size] = Field(description="values of the model: a number, or a list of items")
    n_reference: list[Size] = Field(description="values of the reference, likewise")
    pairs: list[list[Pair]] = Field(description="matched [model, reference] pairs, of an item each")
    credit: Literal["two_sided", "one_to_one"] = Field(
        "two_sided", description="two_sided, one_to_one"
    )
    first_index: Literal[0, 1] = Field(1, description="0 or 1: where indices start")

    @model_validator(mode="before")
    @classmethod
    def _one_item_is_a_list_of_one(cls, data: Any) -> Any:
        numbers = [data.get("n_model"), data.get("n_reference")]
        if all(type(number) is int for number in numbers) and "pairs" in data:
            return data | {
                "n_model": numbers[:1],
                "n_reference": numbers[1:],
                "pairs": [data["pairs"]],
            }
        return data


Covered = Annotated[int, Field(strict=True, ge=0, le=1)]


class CoveredWords(ClusteredData):
    """Which words of each summary are covered, for people and for a judge."""

    human: list[list[Covered]] = Field(
        description="0 or 1 a word (1: covered), or a list of such lists, one a summary"
    )
    judge: list[list[Covered]] = Field(description="the same for the judge")
    clusters: list[CaseId] | None = Field(
        None, description="case of every summary, or of every word: asks for interval"
    )
    measure: Literal["micro", "macro", "kappa", "f1_covered", "f1_residual"] = Field(
        "micro", description="micro, macro, kappa, f1_covered, f1_residual"
    )

    @model_validator(mode="before")
    @classmethod
    def _words_alone_are_summaries(cls, data: Any) -> Any:
        """Words in one list are one summary, or one a case where each word names its case."""
        sides = [data.get("human"), data.get("judge")]
        if not all(isinstance(side, list) and side and type(side[0]) is int for side in sides):
            return data
        human, judge = sides
        cases = data.get("clusters")
        if not isinstance(cases, list) or not len(cases) == len(human) == len(judge):
            return data | {"human": [human], "judge": [judge]}
        places: dict[str, list[int]] = {}
        for place, case in enumerate(cases):
            places.setdefault(json.dumps(case), []).append(place)
        return data | {
            "human": [[human[i] for i in own] for own in places.values()],
            "judge": [[judge[i] for i in own] for own in places.values()],
            "clusters": [cases[own[0]] for own in places.values()],
        }


class CountsOfCases(Data):
    """Hits and things on either side, a case."""

    hits: Annotated[list[Count], Field(min_length=1)] = Field(description="matched things a case")
    judge: Annotated[list[Count], Field(min_length=1)] = Field(description="judge's things a case")
    human: Annotated[list[Count], Field(min_length=1)] = Field(description="human things a case")


def read_json(raw: bytes) -> dict[str, object]:
    """The JSON object in ``raw``.

    Raises BadData, with a sentence, for anything else: not UTF-8, not JSON, no object, NaN or
    infinity, one key twice.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadData(f"The data is not UTF-8: byte {error.start} cannot be read.") from None
    if not text.strip():
        raise BadData("There is no data: give one JSON object on standard input.")
    try:
        value = json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_doubles
        )
    except json.JSONDecodeError as error:
        raise BadData(
            f"The data is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise BadData("The data is nested too deeply to be read.") from None
    except ValueError:  # an integer of thousands of digits
        raise BadData("The data holds a number with too many digits.") from None
    if not isinstance(value, dict):
        raise BadData('The data must be one JSON object, such as {"ratings": [...]}.')
    return value


def _no_constant(name: str) -> NoReturn:
    raise BadData(f"{name} is no JSON number; a missing rating is null.")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise BadData(f"{digits[:20]} is too large a number.")
    return number


def _no_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise BadData(f"The key {next(k for k in keys if keys.count(k) > 1)!r} stands there twice.")
    return found


def sentence(error: ValidationError, model: type[Data], name: str) -> str:
    """What is wrong with the data for statistic ``name``, for people: the first few faults."""
    faults = list(dict.fromkeys(_fault(one, model, name) for one in error.errors()))
    more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
    return " ".join(faults[:3]) + more


def _fault(error: Any, model: type[Data], name: str) -> str:
    place = _place(error["loc"])
    known = list(model.model_fields)
    match error["type"]:
        case "missing":
            return f"{place} is missing."
        case "extra_forbidden":
            near = difflib.get_close_matches(place, known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            return f"{place} is no input of {name}{hint}; it takes {', '.join(known)}."
        case "value_error":
            return f"{place}: {error['ctx']['error']}."
        case "too_short" if error["ctx"]["actual_length"] == 0:
            return f"{place} is empty."
    return f"{place}: {error['msg'][0].lower()}{error['msg'][1:]}."


def _place(loc: tuple[str | int, ...]) -> str:
    """``ratings[0][3]``; names of the alternatives that were tried are left out."""
    name, *steps = loc
    return str(name) + "".join(f"[{step}]" for step in steps if isinstance(step, int))
