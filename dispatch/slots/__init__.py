"""Who could take a job, and when."""
