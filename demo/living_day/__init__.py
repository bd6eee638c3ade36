"""The day on which a demo opens: shifts round the present hour, jobs in every state, engineers who work on."""
