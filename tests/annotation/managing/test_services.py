"""Studies, members, guidelines and templates."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.checklists.loader import load_builtin
from annotation.errors import Conflict, InvalidInput, NotFound
from annotation.managing.services import (
    add_member,
    create_study,
    newest_template,
    set_guidelines,
    store_template,
    study_by_slug,
    task_set_by_key,
    template_of,
)
from annotation.models import AuditEntry, ChecklistVersion, Guideline, Membership, Study, User
from tests.factories import make_member, make_task_set, make_user


def test_a_study_is_made_with_its_template_and_an_audit_entry(db: None) -> None:
    chief = make_user("chief")
    study = create_study("city-cases", name="City cases", seed=7, actor=chief)
    assert (study.name, study.seed, study.created_by) == ("City cases", 7, chief)
    assert len(template_of(study).items) == 26
    entry = AuditEntry.objects.get(action="study.created")
    assert (entry.actor, entry.study) == (chief, study)


@pytest.mark.parametrize(
    "slug", ["", "-x", "Big", "with space", "a/b", "ünïcode", "a" * 81, "x\n", "../x"]
)
def test_a_slug_that_cannot_stand_in_an_address_is_refused(db: None, slug: str) -> None:
    with pytest.raises(InvalidInput, match="lower-case letters"):
        create_study(slug)
    assert not Study.objects.exists()


def test_the_longest_slug_is_accepted(db: None) -> None:
    assert create_study("a" * 80).slug == "a" * 80


def test_a_taken_slug_is_refused(study: Study) -> None:
    with pytest.raises(Conflict, match="Choose another name"):
        create_study("study")


def test_an_unknown_template_names_those_that_are_known(db: None) -> None:
    with pytest.raises(NotFound, match=r"nothing.*legal-26"):
        create_study("new", template_key="nothing")
    assert not Study.objects.exists()


def test_a_study_or_task_set_that_is_not_there_names_those_that_are(study: Study) -> None:
    make_task_set(study, "pairs")
    with pytest.raises(NotFound, match=r"Known: study\."):
        study_by_slug("nothing")
    with pytest.raises(NotFound, match=r"It has: pairs\."):
        task_set_by_key(study, "nothing")
    assert study_by_slug("study") == study
    assert task_set_by_key(study, "pairs").key == "pairs"


def test_where_there_is_nothing_the_error_says_how_to_make_some(db: None) -> None:
    with pytest.raises(NotFound, match="create_study"):
        study_by_slug("nothing")
    with pytest.raises(NotFound, match="import_tasks"):
        task_set_by_key(create_study("empty"), "nothing")


def test_pseudonyms_are_numbered_and_unique(study: Study) -> None:
    for name in ("a", "b", "c"):
        make_member(study, "annotator", name)
    make_member(study, "researcher", "d")
    names = study.memberships.order_by("pk").values_list("pseudonym", flat=True)
    assert list(names) == ["annotator-1", "annotator-2", "annotator-3", "researcher-1"]


def test_a_pseudonym_outlives_a_change_of_role(study: Study, annotator: User) -> None:
    changed = add_member(study, annotator, "researcher")
    assert (changed.role, changed.pseudonym) == ("researcher", "annotator-1")
    assert Membership.objects.filter(study=study).count() == 1
    assert make_member(study, "annotator", "b").memberships.get().pseudonym == "annotator-2"


def test_a_pseudonym_that_is_taken_by_hand_is_passed_over(study: Study) -> None:
    add_member(study, make_user("a"), "annotator", pseudonym="annotator-2")
    make_member(study, "annotator", "b")
    make_member(study, "annotator", "c")
    names = set(study.memberships.values_list("pseudonym", flat=True))
    assert names == {"annotator-1", "annotator-2", "annotator-3"}
    with pytest.raises(InvalidInput, match="in use"):
        add_member(study, make_user("d"), "annotator", pseudonym="annotator-1")


def test_an_unknown_role_is_refused(study: Study) -> None:
    with pytest.raises(InvalidInput, match="Roles: annotator, adjudicator, researcher, admin"):
        add_member(study, make_user("a"), "king")


def test_the_same_pseudonym_may_stand_in_two_studies(study: Study, annotator: User) -> None:
    other = create_study("other")
    assert add_member(other, annotator, "annotator").pseudonym == "annotator-1"


def test_guidelines_get_a_version_each_time_they_change(study: Study, admin: User) -> None:
    first = set_guidelines(study, "One", actor=admin)
    again = set_guidelines(study, "One", actor=admin)
    second = set_guidelines(study, "Two", actor=admin)
    back = set_guidelines(study, "One", actor=admin)
    assert again == first
    assert [first.version, second.version, back.version] == [1, 2, 3]
    assert Guideline.objects.get(pk=first.pk).text == "One"
    assert AuditEntry.objects.filter(action="guidelines.set").count() == 3


def test_a_stored_template_is_never_changed_in_place(db: None) -> None:
    template = load_builtin("legal-26")
    row = store_template(template)
    assert store_template(template) == row
    changed = template.model_copy(update={"name": template.name + " (changed)"})
    with pytest.raises(Conflict, match="new version"):
        store_template(changed)
    assert ChecklistVersion.objects.count() == 1
    newer = changed.model_copy(update={"version": "99.0"})
    assert newest_template("legal-26") == row
    assert store_template(newer).version == "99.0"
    assert newest_template("legal-26").version == "99.0"


def test_a_study_keeps_its_template_when_a_newer_one_is_stored(study: Study) -> None:
    before: Any = study.template
    template = template_of(study)
    store_template(
        template.model_copy(update={"version": "99.0", "name": template.name + " (changed)"})
    )
    study.refresh_from_db()
    assert study.template == before
    assert create_study("newer").template.version == "99.0"
