"""The version of this package, in one place."""

VERSION = "0.1.0"
GENERATOR = f"spycatcher-harness {VERSION}"
