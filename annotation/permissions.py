"""Who may do what. One table of rights for pages, API and commands alike."""

from __future__ import annotations

from enum import StrEnum

from annotation.errors import NotAllowed, NotFound
from annotation.models import Membership, Role, Study, User


class Right(StrEnum):
    """Something that a role may or may not do in a study."""

    VIEW = "view"  # the study's page: its task sets and their sizes
    ANNOTATE = "annotate"  # be assigned tasks and answer them
    ADJUDICATE = "adjudicate"  # settle the answers of others
    SEE_ANSWERS = "see_answers"  # everybody's answers, verdicts and agreement
    START_RUNS = "start_runs"  # judge runs
    ASSIGN = "assign"  # hand out tasks
    IMPORT = "import"  # bring files in
    EXPORT = "export"  # take data out
    MANAGE = "manage"  # people, closing task sets


ROLE_RIGHTS: dict[str, frozenset[Right]] = {
    Role.ANNOTATOR: frozenset({Right.VIEW, Right.ANNOTATE}),
    Role.ADJUDICATOR: frozenset({Right.VIEW, Right.ADJUDICATE}),
    Role.RESEARCHER: frozenset(
        {
            Right.VIEW,
            Right.SEE_ANSWERS,
            Right.START_RUNS,
            Right.ASSIGN,
            Right.IMPORT,
            Right.EXPORT,
        }
    ),
    Role.ADMIN: frozenset(set(Right) - {Right.ANNOTATE}),
}


def rights_in(user: User, study: Study) -> frozenset[Right]:
    """What ``user`` may do in ``study``: nothing when not a member or deactivated.

    A site admin has the rights of an admin everywhere.
    """
    if not user.is_active:
        return frozenset()
    if user.is_site_admin:
        return ROLE_RIGHTS[Role.ADMIN]
    membership = Membership.objects.filter(user=user, study=study).first()
    return ROLE_RIGHTS[membership.role] if membership else frozenset()


def require(user: User, study: Study, right: Right) -> None:
    """Raise ``NotFound`` to outsiders (the study is not theirs to know of), ``NotAllowed`` to
    members without ``right``.
    """
    rights = rights_in(user, study)
    if not rights:
        raise NotFound(f"There is no study called {study.slug} that you are a member of.")
    if right not in rights:
        raise NotAllowed(
            f"Your role in {study.slug} does not include this. Ask an admin of the study."
        )


def study_for(user: User, slug: str, right: Right) -> Study:
    """The study called ``slug`` if ``user`` has ``right`` there.

    Raises ``NotFound`` (also to outsiders) or ``NotAllowed``.
    """
    study = Study.objects.select_related("template").filter(slug=slug).first()
    if study is None:
        raise NotFound(f"There is no study called {slug} that you are a member of.")
    require(user, study, right)
    return study
