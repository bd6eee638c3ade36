"""What dispatchers do to the plan: of several jobs at once, with versions, undone and redone."""
