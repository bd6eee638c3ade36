"""How likely each visit of today begins inside its window: the rest of the day, simulated many times."""
