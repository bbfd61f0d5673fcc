"""Reports of ``verify`` with everything in them that is hard to write down."""

from __future__ import annotations

from spycatcher_addon.verifying.findings import Group
from spycatcher_addon.verifying.report import Outcome, ReportedFinding, TapeReport, VerifyReport

ODD_PATH = "odd, 100%: <ä>/b"
ODD_MESSAGE = "a:b, 100% <&> \"q\" 'é'\nsecond\rline \x1b[31m\x00"

SECRET = ReportedFinding("secret", Group.SECRETS, False, "request.body holds a secret", 2, "request.body", 41)
LARGE = ReportedFinding("large", Group.SIZE, True, "its bodies have 99 bytes", 0, "response")
DAMAGE = ReportedFinding("unreadable", Group.FILE, False, ODD_MESSAGE)

CLEAN_TAPE = TapeReport("tapes/clean", Outcome.CLEAN, 3, (), "tapes/clean")
WARNED_TAPE = TapeReport("./tapes/warned", Outcome.CLEAN, 1, (LARGE,), "tapes/warned")
BAD_TAPE = TapeReport("tapes/bad", Outcome.FINDINGS, 4, (LARGE, SECRET), "tapes/bad")
DAMAGED_TAPE = TapeReport(ODD_PATH, Outcome.UNREADABLE, None, (DAMAGE,), ODD_PATH)

REPORT = VerifyReport((CLEAN_TAPE, WARNED_TAPE, BAD_TAPE, DAMAGED_TAPE), passed_over=7)
STRICT = VerifyReport((TapeReport("tapes/warned", Outcome.FINDINGS, 1, (LARGE,), "tapes/warned"),), is_strict=True)
