"""Wire profile 1.0: job-messages.md."""
