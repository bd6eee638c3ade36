"""What it must save to take a visit from its engineer, in minutes of driving. Apart from the engine, since the pages
name it and know nothing of numpy."""

# people are moved only where it is worth it
FEW_CHANGES_MINUTES = 30
# everybody may be moved, but nobody for nothing
MANY_CHANGES_MINUTES = 1
