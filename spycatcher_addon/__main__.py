"""``python -m spycatcher_addon`` is the command ``spycatcher-harness``."""

from __future__ import annotations

import sys

from spycatcher_addon.edge.entry import main

if __name__ == "__main__":
    sys.exit(main())
