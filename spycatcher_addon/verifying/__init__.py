"""Checking cassettes: what is looked at, what was found, where it stands in the file, and how it is reported."""
