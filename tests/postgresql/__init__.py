"""Django's PostgreSQL backend with a cheaper way of emptying the database after a test."""
