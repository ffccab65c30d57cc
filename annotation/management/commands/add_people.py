"""``manage.py add_people``: accounts and roles from the shell."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.base import GavelCommand, Result, comma_separated
from annotation.managing.services import add_people, study_by_slug
from annotation.models import Role


class Command(GavelCommand):
    help = "Make people members of a study; those without an account get one with a password."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("people", type=comma_separated, help="user names: ann,bob")
        parser.add_argument("--study", required=True)
        parser.add_argument("--role", choices=Role.values, default=Role.ANNOTATOR.value)

    def run(self, **options: Any) -> Result:
        study = study_by_slug(options["study"])
        added = add_people(study, options["people"], options["role"])
        people = [
            {
                "user": person.membership.user.username,
                "role": person.membership.role,
                "pseudonym": person.membership.pseudonym,
                "password": person.password,
            }
            for person in added
        ]
        return {"study": study.slug, "people": people}

    def describe(self, result: Result) -> str:
        lines = [
            f"{person['user']}: {person['role']} of {result['study']}, {person['pseudonym']} in "
            "exports" + (f", password {person['password']}" if person["password"] else "")
            for person in result["people"]
        ]
        if any(person["password"] for person in result["people"]):
            lines.append("Passwords are shown this once. Hand each to its owner.")
        return "\n".join(lines)
