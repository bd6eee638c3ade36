"""How an endpoint behaves at the moment."""

from django.db import models


class Mode(models.TextChoices):
    NORMAL = "normal", "Answers normally"
    SLOW = "slow", "Stores at once, answers late"
    FAIL = "fail", "Refuses with a status, stores nothing"
    DROP = "drop", "Closes the connection, stores nothing"
    LOST = "lost", "Stores, then closes without an answer"
    HALF = "half", "Stores, then sends half of the answer"


class Switch(models.Model):
    """One row per endpoint that was ever switched; an endpoint without one answers normally."""

    endpoint = models.CharField(max_length=40, primary_key=True)
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.NORMAL)
    seconds = models.FloatField(default=15)
    status = models.PositiveSmallIntegerField(default=503)
    retry_after = models.PositiveIntegerField(null=True)
    # how many more messages meet this mode before the endpoint is normal again; null for all
    remaining = models.PositiveIntegerField(null=True)
