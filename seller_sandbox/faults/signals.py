"""Says what happened to a fault report, in the transaction of the event: visits follow it."""

from django.dispatch import Signal

# sent with `report` (locked) and `event` (a FaultEvent) after the event's notification is queued
fault_changed = Signal()
