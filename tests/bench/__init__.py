"""Measurements for `make bench`; not run by `make test`."""
