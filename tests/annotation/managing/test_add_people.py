"""People from the shell: accounts where there are none, one role each, all or none."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.errors import InvalidInput
from annotation.managing.services import add_people
from annotation.models import Membership, Study, User
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_new_people_get_an_account_and_a_password_that_works(study: Study) -> None:
    out = StringIO()
    call_command("add_people", "ann,bob", study=study.slug, role="annotator", json=True, stdout=out)
    people = json.loads(out.getvalue())["people"]
    assert [person["pseudonym"] for person in people] == ["annotator-1", "annotator-2"]
    for person in people:
        assert User.objects.get(username=person["user"]).check_password(person["password"])


def test_an_account_that_exists_keeps_its_password(study: Study) -> None:
    ann = make_user("ann")
    added = add_people(study, ["ann"], "researcher")
    assert (added[0].password, added[0].membership.role) == (None, "researcher")
    ann.refresh_from_db()
    assert ann.check_password("a-long-test-password")


def test_again_changes_nothing_but_the_role(study: Study) -> None:
    add_people(study, ["ann"], "annotator")
    add_people(study, ["ann"], "adjudicator")
    membership = Membership.objects.get(study=study, user__username="ann")
    assert (membership.role, membership.pseudonym) == ("adjudicator", "annotator-1")


@pytest.mark.parametrize("name", ["two words", "a" * 151, "semi;colon", "nul\x00"])
def test_a_name_that_no_account_can_have_makes_nobody_a_member(study: Study, name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be a user name"):
        add_people(study, ["ann", name], "annotator")
    assert not User.objects.filter(username="ann").exists()


def test_a_deactivated_account_is_refused(study: Study) -> None:
    make_user("ann", is_active=False)
    with pytest.raises(InvalidInput, match="deactivated"):
        add_people(study, ["ann"], "annotator")


def test_nobody_is_refused_in_a_sentence(study: Study) -> None:
    with pytest.raises(CommandError, match="at least one person"):
        call_command("add_people", ",", study=study.slug)
