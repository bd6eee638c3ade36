"""Photos as evidence: checked and stored, put into a bucket by phones, made small, and their codes read."""
