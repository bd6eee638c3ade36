"""Where jobs and engineers are, and how long it takes to drive between them."""
