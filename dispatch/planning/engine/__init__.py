"""From a problem to its best plan, and the check of every plan. Knows nothing of Django."""
