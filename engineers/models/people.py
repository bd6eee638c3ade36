"""Who works here: people who log in, engineers with their skills and areas, and who changed what."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from engineers.current_scope import current_scope
from engineers.former_accounts import former_office_code, name_for_reader
from engineers.models.roles import OFFICE, READING, Right, Role, RoleRights, effective_rights


class PeopleManager(UserManager["User"]):
    """`createsuperuser` makes somebody who can work at once: a supervisor."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        return super().create_superuser(username, email, password, **{"role": Role.SUPERVISOR, **fields})


class User(AbstractUser):
    """A person who logs in. The role decides which application opens: board or phone."""

    role = models.CharField(_("role"), max_length=30, choices=Role, default=Role.ENGINEER)
    # empty: as the browser says
    language = models.CharField(max_length=10, blank=True)
    # somebody else knows it: a supervisor gave it
    must_change_password = models.BooleanField(default=False, editable=False)
    # since when the name is only the staff number, of whoever never had one the account's number (engineers.retention)
    anonymised_at = models.DateTimeField(null=True, editable=False)

    # of somebody whose work is limited to these areas; nobody without one is limited (engineers.area_scope)
    limited_areas: models.ManyToManyField[Area, AreaLimit] = models.ManyToManyField(
        "Area", through="AreaLimit", related_name="+"
    )

    objects: ClassVar[PeopleManager] = PeopleManager()

    @property
    def is_office(self) -> bool:
        return self.role in OFFICE

    @property
    def only_reads(self) -> bool:
        """Whether nothing that concerns others can be changed, as by an auditor."""
        return self.rights <= READING

    @property
    def rights(self) -> frozenset[Right]:
        """What this user may do; no query for the user of a request, who was found with `role_rights` of the role's row
        (engineers.permissions)."""
        if not hasattr(self, "role_rights"):
            row = RoleRights.objects.filter(pk=self.role).first()
            return effective_rights(self.role, row.rights if row else None)
        return effective_rights(self.role, self.role_rights)

    def may(self, right: Right) -> bool:
        return right in self.rights

    @property
    def display_name(self) -> str:
        """In the language of the reader."""
        name = self.get_full_name()
        # by the user name: the role may have changed since there was an engineer
        if self.anonymised_at and self.username == former_office_code(self.pk):
            return name_for_reader(self.username)
        if self.anonymised_at:
            return gettext("Former engineer %(number)s") % {"number": name}
        return name or self.username


class Skill(models.Model):
    """Something that not every engineer may do; a property flag can ask for it."""

    code = models.SlugField(unique=True)
    name = models.CharField(max_length=80)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="skill_named_once")]

    def __str__(self) -> str:
        return self.name


class AreaQuerySet(models.QuerySet["Area"]):
    def in_scope(self) -> AreaQuerySet:
        """Those that whoever asks may see (engineers.current_scope)."""
        areas = current_scope().areas
        return self if areas is None else self.filter(pk__in=areas)


class Area(models.Model):
    """A part of the country that engineers work in. A job lies in the area that has its postcode. No two names differ
    only by case; a semicolon separates names in a file."""

    name = models.CharField(
        max_length=60, validators=[RegexValidator(";", _("Leave out the semicolon."), inverse_match=True)]
    )
    postcodes = models.CharField(
        max_length=1000,
        blank=True,
        validators=[RegexValidator(r"^[A-Z]{1,2}[0-9A-Z]{0,2}( [A-Z]{1,2}[0-9A-Z]{0,2})*$")],
        help_text=_("Outward codes or postcode areas separated by spaces, for example: LS1 LS2 BD"),
    )

    objects = AreaQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="area_named_once")]

    def __str__(self) -> str:
        return self.name


class AreaLimit(models.Model):
    """One of the areas that somebody of the office is limited to. It keeps the area from being deleted: without its
    last area, a person would see all of them."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="area_limits")
    area = models.ForeignKey(Area, on_delete=models.PROTECT, related_name="area_limits")

    class Meta:
        ordering = ["area__name"]
        constraints = [models.UniqueConstraint("user", "area", name="area_limited_once")]

    def __str__(self) -> str:
        return f"{self.user_id} to {self.area_id}"


class EngineerQuerySet(models.QuerySet["Engineer"]):
    def active(self) -> EngineerQuerySet:
        return self.filter(user__is_active=True)

    def in_area(self, area: int) -> EngineerQuerySet:
        """Whose main area or one of whose further areas has this key; everybody once."""
        further = Engineer.further_areas.through.objects.filter(area=area)
        return self.filter(Q(area=area) | Q(pk__in=further.values("engineer")))

    def in_scope(self) -> EngineerQuerySet:
        """Those of the areas that whoever asks may see (engineers.current_scope)."""
        areas = current_scope().areas
        if areas is None:
            return self
        further = Engineer.further_areas.through.objects.filter(area__in=areas)
        return self.filter(Q(area__in=areas) | Q(pk__in=further.values("engineer")))

    def with_skills(self, codes: Collection[str], *, on: date) -> EngineerQuerySet:
        """Those who have every one of these skills on that day."""
        found = self
        for code in sorted(codes):
            found = found.filter(
                Q(held_skills__expires_on=None) | Q(held_skills__expires_on__gte=on),
                held_skills__skill__code=code,
            )
        return found


# part of addresses, and of lists that are separated by spaces
check_staff_number = RegexValidator(
    r"\A\w[\w.-]*\Z",
    _("Use letters, digits, dots, hyphens and underscores, a letter or digit first."),
)
# a tap dials it
check_phone_number = RegexValidator(
    r"\A\+?[0-9(][0-9 ()./-]+\Z", _("Use digits, spaces and + ( ) . / - only, as in 07700 900123.")
)


class Engineer(models.Model):
    """Someone who visits premises. `staff_number` is what the seller knows an engineer by, `phone_identity` what
    phones do: the first staff number, which stays when that is changed."""

    user = models.OneToOneField(User, on_delete=models.PROTECT, related_name="engineer")
    staff_number = models.CharField(max_length=20, unique=True, validators=[check_staff_number])
    # phones keep unsent work under it, and name it in what they send and export
    phone_identity = models.CharField(max_length=30, unique=True, editable=False)
    # counts up where every sign-in ends: a phone has the key of its number from the day that it read
    # (phone.offline_import)
    export_key_number = models.PositiveIntegerField(default=0, editable=False)
    phone = models.CharField(max_length=30, validators=[check_phone_number])
    home_address = models.CharField(max_length=200, blank=True)
    home_latitude = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(-90), MaxValueValidator(90)]
    )
    home_longitude = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(-180), MaxValueValidator(180)]
    )
    # since when positions may be kept while driving; the engineer's own choice
    shares_position_since = models.DateTimeField(null=True, blank=True, editable=False)
    skills = models.ManyToManyField(Skill, through="HeldSkill", blank=True, related_name="engineers")
    # the main area: the engineer's group on the board and in reports
    area = models.ForeignKey(Area, on_delete=models.PROTECT, null=True, blank=True, related_name="engineers")
    further_areas = models.ManyToManyField(Area, blank=True, related_name="further_engineers")
    # limits of working time, in hours; without one there is no limit (engineers.working_time_limits)
    max_hours_per_day = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(24)]
    )
    max_hours_per_week = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(168)]
    )
    min_rest_hours = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(24)]
    )

    objects = EngineerQuerySet.as_manager()

    class Meta:
        ordering = ["user__first_name", "user__last_name", "staff_number"]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return self.user.display_name

    @property
    def area_names(self) -> list[str]:
        """The main area first, then the further ones by name; reads `area` and `further_areas`."""
        if self.area is None:
            return []
        further = {area.name for area in self.further_areas.all()} - {self.area.name}
        return [self.area.name, *sorted(further)]


class HeldSkill(models.Model):
    """A skill of an engineer; `expires_on` is the last day on which it counts, empty for ever."""

    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="held_skills")
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="+")
    expires_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["skill__name"]
        constraints = [models.UniqueConstraint("engineer", "skill", name="skill_held_once")]

    def __str__(self) -> str:
        return f"{self.skill_id} of {self.engineer_id}"

    def counts_on(self, day: date) -> bool:
        return self.expires_on is None or day <= self.expires_on


class AuditEntry(models.Model):
    """Who changed what, where it is not about one job (a job's own audit is its events)."""

    # as many as a user name has
    SUBJECT_CHARACTERS = 150

    actor = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("actor")
    )
    action = models.CharField(_("action"), max_length=60)
    subject = models.CharField(_("subject"), max_length=SUBJECT_CHARACTERS)
    before = models.JSONField(_("before"), null=True)
    after = models.JSONField(_("after"), null=True)
    recorded_at = models.DateTimeField(_("recorded"))

    class Meta:
        ordering = ["-recorded_at", "-pk"]
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        indexes = [
            # each opened job asks whether its reader has been noted within the hour
            models.Index(fields=["action", "subject", "recorded_at"], name="audit_by_subject"),
            # a period, newest first, and what is purged
            models.Index(fields=["recorded_at", "id"], name="audit_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"
