"""Keys for tests: of the data set, of somebody else, and of a service."""

from privet.evidence import KeyHistory, SeedSigner, Signing

SINCE = "2026-01-01T00:00:00+00:00"
OWNER, FORGER, NEXT = (SeedSigner(bytes([number] * 31 + [number + 1])) for number in (1, 7, 9))
KEYS = KeyHistory.first(OWNER, SINCE)


def signing(signer=OWNER, keys=KEYS):
    return Signing(signer, keys)
