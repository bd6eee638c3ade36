"""The same simulated day twice, planned by hand with the nearest free engineer and by the planner (`make rehearse
ARGS=--plan`): the real functions over a database of its own, under a clock that goes from event to event."""
