"""Keeping secrets off the tape: which values are secrets, where they hide, and what stands in their place."""
