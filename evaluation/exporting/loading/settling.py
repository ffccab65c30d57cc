"""What of a bundle the database may have already: the study, templates, people, judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from django.contrib.auth.hashers import make_password
from django.db.models import Model
from django.utils.text import slugify

from agent.models import Judge
from annotation.checklists.schema import Template
from annotation.errors import Conflict
from annotation.managing.services import add_member, create_study, store_template
from annotation.models import Checklist, ChecklistVersion, Study, User
from evaluation.exporting.bundle import (
    JudgeRow,
    MemberRow,
    MetaEvaluationRow,
    Row,
    StudyRow,
    TemplateRow,
    moment_of,
)
from evaluation.exporting.collecting.judges import judge_settings, with_runs
from evaluation.exporting.loading.common import found
from evaluation.exporting.loading.writing import Ids
from evaluation.models import MetaEvaluation

NAME_LENGTH = 80
USERNAME_LENGTH = 150
R = TypeVar("R", bound=Row)


class Read(Protocol):
    """The rows of one file of a bundle."""

    def __call__(self, kind: type[R]) -> Iterator[R]: ...


@dataclass
class Settled:
    """The study that takes the bundle over, and the ids of what it refers to, in file order."""

    study: Study
    actor: User | None
    templates: dict[tuple[str, str], int] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)

    def known(self) -> dict[type[Model], Ids]:
        """The ids as :class:`~evaluation.exporting.loading.writing.Spool` wants them."""
        return {
            Study: [self.study.pk],
            ChecklistVersion: list(self.templates.values()),
            User: list(self.members.values()),
            Judge: list(self.judges.values()),
        }


def settle(slug: str, actor: User | None, read: Read) -> Settled:
    """Make or find the study, its templates, its people and its judges.

    Raises ``Conflict`` when the study holds something, when a template is known here with another
    content and when a pseudonym has another role here.
    """
    study = Study.objects.select_for_update().filter(slug=slug).first()
    if study is not None and not is_empty(study):
        raise Conflict(
            f"{slug} is not empty any more: something was stored in it meanwhile. Import into a "
            "study that does not exist yet."
        )
    settled = Settled(study or create_study(slug, actor=actor), actor)
    _settle_templates(settled, read(TemplateRow))
    _settle_study(settled, read(StudyRow))
    _settle_members(settled, read(MemberRow))
    _settle_judges(settled, read(JudgeRow))
    return settled


def is_empty(study: Study) -> bool:
    """Whether it has nothing but members."""
    return not (
        study.cases.exists()
        or study.task_sets.exists()
        or study.guidelines.exists()
        or study.judge_runs.exists()
        or study.meta_evaluations.exists()
        or Checklist.objects.filter(case__study=study).exists()
    )


def _settle_templates(settled: Settled, rows: Iterator[TemplateRow]) -> None:
    for row in rows:
        stored = store_template(Template.from_json(row.content), actor=settled.actor)
        settled.templates[row.key, row.version] = stored.pk


def _settle_study(settled: Settled, rows: Iterator[StudyRow]) -> None:
    """The study takes over everything but its address."""
    for row in rows:
        study = settled.study
        study.name = row.name
        study.description = row.description
        study.seed = row.seed
        study.time_zone = row.time_zone
        study.is_synthetic = row.is_synthetic
        template = found(settled.templates, (row.template.key, row.template.version))
        study.template = ChecklistVersion.objects.get(pk=template)
        study.save()


def _settle_members(settled: Settled, rows: Iterator[MemberRow]) -> None:
    """Members known here by the same pseudonym keep their accounts; for the others, accounts are
    made that nobody can log in to.
    """
    study = settled.study
    known = {m.pseudonym: m for m in study.memberships.all()}
    for row in rows:
        member = known.get(row.pseudonym)
        if member is not None and member.role != row.role:
            raise Conflict(
                f"{row.pseudonym} is {member.get_role_display().lower()} in {study.slug} "
                f"and {row.role} in the bundle. Import into another study."
            )
        if member is None:
            user = _placeholder(f"{study.slug}-{slugify(row.pseudonym)}")
            member = add_member(study, user, row.role, pseudonym=row.pseudonym, actor=settled.actor)
        settled.members[row.pseudonym] = member.user_id


def _placeholder(name: str) -> User:
    stem = name.rstrip("-")[: USERNAME_LENGTH - 6]
    taken = set(User.objects.filter(username__startswith=stem).values_list("username", flat=True))
    username = next(
        name
        for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3)))
        if name not in taken
    )
    return User.objects.create(username=username, is_active=False, password=make_password(None))


def _settle_judges(settled: Settled, rows: Iterator[JudgeRow]) -> None:
    """A judge known here with the same settings is taken; else one is made, under another name
    where the name is taken. A judge that is made cannot be asked until an admin says so.
    """
    for row in rows:
        settings = {name: value for name, value in row.to_json().items() if name != "judge"}
        settled.judges[row.judge] = _judge(row.judge, settings).pk


def _judge(name: str, settings: dict[str, Any]) -> Judge:
    stem, number = name[: NAME_LENGTH - 6], 1
    while True:
        judge = Judge.objects.filter(name=name).first()
        if judge is None:
            is_baseline = settings["kind"] == Judge.Kind.RULES
            return Judge.objects.create(name=name, is_active=is_baseline, **settings)
        if judge_settings(judge) == settings:
            return judge
        number += 1
        name = f"{stem}-{number}"


def store_meta_evaluations(
    settled: Settled, rows: Iterator[MetaEvaluationRow], runs: Mapping[int, int]
) -> None:
    """Saved figures, which mention runs by their ids: ``runs`` are those, by number."""
    for row in rows:
        inputs, figures = with_runs(row.inputs, row.rows, dict(runs))
        made = MetaEvaluation.objects.create(
            study=settled.study,
            inputs=inputs,
            seed=row.seed,
            draws=row.draws,
            rows=figures,
            versions=row.versions,
            created_by_id=None
            if row.created_by is None
            else found(settled.members, row.created_by),
        )
        MetaEvaluation.objects.filter(pk=made.pk).update(created_at=moment_of(row.created_at))
