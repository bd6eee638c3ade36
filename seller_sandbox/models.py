"""What every part of the sandbox shares: its movable clock, what falls due by it, and a sign of life of its worker."""

from django.db import models

from seller_sandbox.compiled_saves import CompiledSave


class Clock(models.Model):
    """One row: how far the sandbox's clock runs ahead of the real one. Who does due actions holds its lock."""

    offset_seconds = models.BigIntegerField(default=0)


class DueActionQuerySet(models.QuerySet["DueAction"]):
    def open(self) -> "DueActionQuerySet":
        return self.filter(done_at=None, cancelled_at=None)


class DueAction(CompiledSave):
    """Something that is to be done at a time of the sandbox's clock (due_actions.py).

    All instants are sandbox time. `subject` says what it is about, for example an order's reference; `due_at` of an
    action that failed is its next attempt.
    """

    name = models.CharField(max_length=80)
    subject = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict)
    due_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)
    cancelled_at = models.DateTimeField(null=True)
    # how often it failed, and how it failed last
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    objects = DueActionQuerySet.as_manager()

    class Meta:
        ordering = ["due_at", "id"]
        indexes = [
            models.Index(
                fields=["due_at", "id"],
                condition=models.Q(done_at=None, cancelled_at=None),
                name="due_actions_that_are_open",
            ),
            models.Index(fields=["subject", "name"], name="due_actions_by_subject"),
        ]


class Heartbeat(models.Model):
    """When a process was last seen at work, by the real clock."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()
