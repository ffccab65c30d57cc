"""People and what each may do in a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AbstractUser
from django.db import models

if TYPE_CHECKING:
    from annotation.models.studies import Study


class User(AbstractUser):
    """An account, with how its owner likes the pages.

    An account is deactivated (``is_active = False``), never deleted: answers and audit rows
    point at it with PROTECT.
    """

    class Theme(models.TextChoices):
        SYSTEM = "system", "As the system"
        LIGHT = "light", "Light"
        DARK = "dark", "Dark"

    class Density(models.TextChoices):
        COMFORTABLE = "comfortable", "Comfortable"
        COMPACT = "compact", "Compact"

    class TextSize(models.TextChoices):
        SMALL = "s", "Small"
        MEDIUM = "m", "Medium"
        LARGE = "l", "Large"

    theme = models.CharField(max_length=8, choices=Theme, default=Theme.SYSTEM)
    density = models.CharField(max_length=12, choices=Density, default=Density.COMFORTABLE)
    text_size = models.CharField(max_length=1, choices=TextSize, default=TextSize.MEDIUM)
    time_zone = models.CharField(max_length=64, default="UTC")
    single_keys = models.BooleanField(
        "single-key shortcuts", default=True, help_text="Keys such as 1, 2, j and ? act at once."
    )
    fast_mode = models.BooleanField(
        default=False, help_text="In single-value comparison a digit submits at once."
    )

    @property
    def is_site_admin(self) -> bool:
        """Admin of every study."""
        return self.is_active and self.is_superuser


class Role(models.TextChoices):
    """What a member of a study does there. The rights are in ``annotation.permissions``."""

    ANNOTATOR = "annotator", "Annotator"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    RESEARCHER = "researcher", "Researcher"
    ADMIN = "admin", "Admin"


class MembershipQuerySet(models.QuerySet["Membership"]):
    def annotators(self, study: Study) -> MembershipQuerySet:
        """The active annotators of ``study``, in the order of their pseudonyms."""
        return self.filter(study=study, role=Role.ANNOTATOR, user__is_active=True).order_by(
            "pseudonym"
        )


class Membership(models.Model):
    """One person in one study: the role there, and the pseudonym that exports carry."""

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.PROTECT, related_name="memberships"
    )
    user = models.ForeignKey(
        "annotation.User", on_delete=models.PROTECT, related_name="memberships"
    )
    role = models.CharField(max_length=12, choices=Role)
    pseudonym = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="membership_once_a_study"),
            models.UniqueConstraint(fields=["study", "pseudonym"], name="membership_pseudonym"),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pseudonym} ({self.role})"

    def to_json(self) -> dict[str, Any]:
        """What exports and reports may say of a member: no name, no address."""
        return {"pseudonym": self.pseudonym, "role": self.role}
