"""The problem of a scope, as the database has it."""
