"""Say what has changed on lines and nodes, in the transaction of the change: tickets that wait for it follow.

`line_changed` is sent with `uprn` and `report` (a LineReport), `load_changed` alone: many lines share a node.
"""

from django.dispatch import Signal

line_changed = Signal()
load_changed = Signal()
