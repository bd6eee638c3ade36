"""What a supervisor decided about a property flag."""

from django.db import models


class FlagRule(models.Model):
    """What a property flag asks for. Without a row the rule of `dispatch.flag_rules` applies.

    `kit` is a list of texts; `version` counts the changes, so that nobody overwrites what they have not seen.
    """

    code = models.CharField(max_length=40, unique=True)
    # of a Skill; empty: none
    skill = models.CharField(max_length=50, blank=True)
    needs_two_people = models.BooleanField(default=False)
    # added to the length of a job whose pack gives none
    extra_minutes = models.PositiveSmallIntegerField(default=0)
    kit = models.JSONField(default=list)
    # calendar days from the job pack to the planned start
    lead_days = models.PositiveSmallIntegerField(default=0)
    needs_survey = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["code"]

    def __str__(self) -> str:
        return self.code
