"""SOAP 1.1 as our XML interfaces share it; what an interface says is in the `wire` package of its app."""
