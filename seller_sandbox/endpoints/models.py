"""How an endpoint behaves at the moment."""

from django.db import models


class Mode(models.TextChoices):
    NORMAL = "normal", "Answers normally"
    SLOW = "slow", "Stores at once, answers late"
    FAIL = "fail", "Refuses with a status, stores nothing"
    DROP = "drop", "Closes the connection, stores nothing"
    LOST = "lost", "Stores, then closes without an answer"
    HALF = "half", "Stores, then sends half of the answer"
    LIMIT = "limit", "Takes so many messages a minute, then 429"
    MAINTENANCE = "maintenance", "503 until the window is over"


class Switch(models.Model):
    """One row per endpoint that was ever switched; an endpoint without one answers normally."""

    endpoint = models.CharField(max_length=40, primary_key=True)
    mode = models.CharField(max_length=20, choices=Mode, default=Mode.NORMAL)
    seconds = models.FloatField(default=15)
    status = models.PositiveSmallIntegerField(default=503)
    retry_after = models.PositiveIntegerField(null=True)
    # of the rate limit: how many are taken a minute, and how many were since the minute began
    per_minute = models.PositiveIntegerField(default=60)
    minute_began_at = models.DateTimeField(null=True)
    taken_in_minute = models.PositiveIntegerField(default=0)
    # when the maintenance window is over
    until = models.DateTimeField(null=True)
    # how many more messages meet this mode before the endpoint is normal again; null for all
    remaining = models.PositiveIntegerField(null=True)


class Credentials(models.Model):
    """One row: which of our certificates is in force."""

    uses_next = models.BooleanField(default=False)
