"""Studies, their people, and what a person sees first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string

from annotation import audit
from annotation.checklists.loader import builtin_templates, load_builtin
from annotation.checklists.schema import Template
from annotation.errors import Conflict, InvalidInput, NotFound
from annotation.models import (
    ChecklistVersion,
    Guideline,
    Membership,
    Role,
    Study,
    TaskSet,
    User,
)
from annotation.text.normalise import storable_text

DEFAULT_TEMPLATE = "legal-26"
LONGEST_NAME = 200
LARGEST_SEED = 2**63 - 1
TAKEN = "There is a study called {slug} already. Choose another name."
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


def store_template(
    template: Template, source: str = "", *, actor: User | None = None
) -> ChecklistVersion:
    """The row of ``template``, made if it is new.

    Raises ``Conflict`` when the same version exists with another content: a version that may be
    in use is never changed in place.
    """
    row = ChecklistVersion.objects.filter(key=template.key, version=template.version).first()
    if row is not None:
        if row.content_hash != template.content_hash():
            raise Conflict(
                f"{template.key} {template.version} is stored already with another content. "
                "Give the changed template a new version."
            )
        return row
    try:
        with transaction.atomic():
            row = ChecklistVersion.objects.create(
                key=template.key,
                version=template.version,
                name=template.name,
                content=template.to_json(),
                content_hash=template.content_hash(),
                source=storable_text(source),
            )
            audit.log("template.stored", actor=actor, target=row, detail={"hash": row.content_hash})
    except IntegrityError:
        return _stored_meanwhile(template)
    return row


def _stored_meanwhile(template: Template) -> ChecklistVersion:
    """The row that somebody else stored at the same moment. Raises ``Conflict``."""
    digest = template.content_hash()
    row = ChecklistVersion.objects.filter(key=template.key, content_hash=digest).first()
    if row is not None and row.version == template.version:
        return row
    stored = f"the version {row.version}" if row else "another content under the same version"
    raise Conflict(
        f"{template.key} {template.version} cannot be stored: there is {stored} of it already. "
        "Give the changed template a new version, or go on with the stored one."
    )


def newest_template(key: str) -> ChecklistVersion:
    """The newest stored version of ``key``; a built-in one is stored on first use.

    Raises ``NotFound`` with the known keys.
    """
    row = ChecklistVersion.objects.filter(key=key).order_by("-pk").first()
    if row is not None:
        return row
    try:
        return store_template(load_builtin(key))
    except NotFound:
        known = sorted(
            {*builtin_templates(), *ChecklistVersion.objects.values_list("key", flat=True)}
        )
        raise NotFound(
            f"There is no checklist template called {key}. Known: {', '.join(known)}. "
            "Load another with load_checklist."
        ) from None


def template_of(study: Study) -> Template:
    """The study's checklist template."""
    return Template.from_json(study.template.content)


def create_study(
    slug: str,
    *,
    template_key: str = DEFAULT_TEMPLATE,
    name: str = "",
    actor: User | None = None,
    seed: int = 0,
    is_synthetic: bool = False,
) -> Study:
    """Make an empty study.

    Raises ``InvalidInput`` for a slug that cannot stand in an address, a name or a seed that
    cannot be stored, ``Conflict`` when the slug is taken, ``NotFound`` for an unknown template.
    """
    if not _SLUG.fullmatch(slug):
        raise InvalidInput(
            f"“{slug}” cannot name a study: use lower-case letters, digits and hyphens "
            "(at most 80), beginning with a letter or digit."
        )
    if Study.objects.filter(slug=slug).exists():
        raise Conflict(TAKEN.format(slug=slug))
    if len(name) > LONGEST_NAME or "\x00" in name:
        raise InvalidInput(f"A study's name may have {LONGEST_NAME} characters. Shorten it.")
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidInput(f"The seed must be from 0 to {LARGEST_SEED:,}.")
    template = newest_template(template_key)
    try:
        with transaction.atomic():
            study = Study.objects.create(
                slug=slug,
                name=name or slug,
                template=template,
                seed=seed,
                is_synthetic=is_synthetic,
                created_by=actor,
            )
            audit.log("study.created", actor=actor, study=study, target=slug)
    except IntegrityError:  # somebody else made it after we looked
        raise Conflict(TAKEN.format(slug=slug)) from None
    return study


def study_by_slug(slug: str) -> Study:
    """For commands, which have no person. Raises ``NotFound`` with the known studies."""
    study = Study.objects.select_related("template").filter(slug=slug).first()
    if study is None:
        known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20])
        raise NotFound(
            f"There is no study called {slug}. "
            + (f"Known: {known}." if known else "Make one with create_study.")
        )
    return study


def task_set_by_key(study: Study, key: str) -> TaskSet:
    """Raises ``NotFound`` with the task sets of the study."""
    task_set = study.task_sets.filter(key=key).first()
    if task_set is None:
        known = ", ".join(study.task_sets.order_by("key").values_list("key", flat=True))
        raise NotFound(
            f"{study.slug} has no task set called {key}. "
            + (f"It has: {known}." if known else "Import one with import_tasks.")
        )
    return task_set


def add_member(
    study: Study, user: User, role: str, *, pseudonym: str = "", actor: User | None = None
) -> Membership:
    """Make ``user`` a member with ``role``, or change the role of a member.

    The pseudonym is drawn once (``annotator-3``) and never changes. Raises ``InvalidInput`` for
    an unknown role or a pseudonym in use.
    """
    if role not in Role.values:
        raise InvalidInput(f"There is no role called {role}. Roles: {', '.join(Role.values)}.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        membership = Membership.objects.filter(study=study, user=user).first()
        if membership is None:
            if pseudonym and study.memberships.filter(pseudonym=pseudonym).exists():
                raise InvalidInput(f"The pseudonym {pseudonym} is in use in {study.slug}.")
            membership = Membership(
                study=study, user=user, pseudonym=pseudonym or _next_pseudonym(study, role)
            )
        membership.role = role
        membership.save()
        audit.log("member.set", actor=actor, study=study, target=user, detail={"role": role})
    return membership


@dataclass(frozen=True)
class AddedPerson:
    """A member; ``password`` is set only when the account was made now, and is stored nowhere."""

    membership: Membership
    password: str | None


def add_people(
    study: Study, names: Sequence[str], role: str, *, actor: User | None = None
) -> list[AddedPerson]:
    """Make the people called ``names`` members with ``role``, all or none.

    A name without an account gets one with a random password. Raises ``InvalidInput`` for no name,
    a name that no account can have, a deactivated account or an unknown role.
    """
    if not names:
        raise InvalidInput("Name at least one person.")
    added = []
    with transaction.atomic():
        for name in dict.fromkeys(names):
            _check_name(name)
            user = User.objects.filter(username=name).first()
            password = None
            if user is None:
                password = get_random_string(14)
                user = _new_account(name, password)
            elif not user.is_active:
                raise InvalidInput(f"The account {name} is deactivated. Activate it in the admin.")
            added.append(AddedPerson(add_member(study, user, role, actor=actor), password))
    return added


def _check_name(name: str) -> None:
    """Refuse what no account can be called, before the database is asked for it."""
    field = User._meta.get_field("username")
    try:
        field.run_validators(name)
    except ValidationError as error:
        reasons = " ".join(error.messages)
        raise InvalidInput(f"“{name}” cannot be a user name. {reasons}") from error


def _new_account(name: str, password: str) -> User:
    user = User(username=name)
    user.set_password(password)
    user.save()
    return user


def _next_pseudonym(study: Study, role: str) -> str:
    taken = set(study.memberships.values_list("pseudonym", flat=True))
    return next(
        name for name in (f"{role}-{n}" for n in range(1, len(taken) + 2)) if name not in taken
    )


def set_guidelines(study: Study, text: str, *, actor: User | None = None) -> Guideline:
    """Store ``text`` as the guidelines in force; the same text again makes no new version."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        newest = study.guidelines.order_by("-version").first()
        if newest is not None and newest.text == text:
            return newest
        guideline = Guideline.objects.create(
            study=study, version=newest.version + 1 if newest else 1, text=text
        )
        audit.log("guidelines.set", actor=actor, study=study, target=guideline)
    return guideline


def home_of(user: User) -> dict[str, Any]:
    """What ``user`` can go on with: ``studies`` they see (with ``role``), ``queues`` given to them.

    For the queues see ``annotation.managing.pages.my_queues``.
    """
    from annotation.managing.pages import my_queues

    roles = dict(user.memberships.values_list("study_id", "role"))
    studies = Study.objects.visible_to(user).select_related("template").order_by("slug")
    return {
        "studies": [
            {"study": study, "role": Role(roles[study.pk]).label if study.pk in roles else "Admin"}
            for study in studies
        ],
        "queues": my_queues(user),
    }
