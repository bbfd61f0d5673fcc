"""What can be learned from a cassette and made of it after the recording: views, comparisons, counts, edits, conversions.

Values in, values out; reading, writing and printing are done in ``edge``.
"""
