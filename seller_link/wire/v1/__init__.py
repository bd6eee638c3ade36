"""Wire profile 1.1: job-messages.md."""
