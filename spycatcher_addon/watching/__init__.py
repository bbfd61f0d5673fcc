"""What is shown of an exchange to a person who watches: its story, its conversation as text, and no secrets. Knows no UI."""
