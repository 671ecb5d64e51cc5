"""Signatures on records, the keys they are checked with, and the one way in which records of ours are read.

One calls: `read_json`, `read_yaml`, `Signing`, `Signature`, `KeyHistory`, `standing_of`.
Never: believes a promise because a file says so, or holds data.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.evidence._bounded_records import LARGEST as LARGEST
    from privet.evidence._bounded_records import checked_yaml as checked_yaml
    from privet.evidence._bounded_records import given_bytes as given_bytes
    from privet.evidence._bounded_records import given_file as given_file
    from privet.evidence._bounded_records import given_text as given_text
    from privet.evidence._bounded_records import read_json as read_json
    from privet.evidence._bounded_records import read_yaml as read_yaml
    from privet.evidence._bounded_records import record_bytes as record_bytes
    from privet.evidence._bounded_records import record_file as record_file
    from privet.evidence._bounded_records import record_text as record_text
    from privet.evidence._bounded_records import refuse_special as refuse_special
    from privet.evidence._canonical_form import canonical as canonical
    from privet.evidence._canonical_form import digest as digest
    from privet.evidence._ed25519 import SeedSigner as SeedSigner
    from privet.evidence._ed25519 import is_valid as is_valid
    from privet.evidence._key_history import KEYS_KIND as KEYS_KIND
    from privet.evidence._key_history import KeyHistory as KeyHistory
    from privet.evidence._key_history import KnownKey as KnownKey
    from privet.evidence._signature import FIELD as FIELD
    from privet.evidence._signature import Signature as Signature
    from privet.evidence._signature import Signer as Signer
    from privet.evidence._signature import Signing as Signing
    from privet.evidence._signature import domain_of as domain_of
    from privet.evidence._signature import now as now
    from privet.evidence._signature import short as short
    from privet.evidence._signature import unsigned as unsigned
    from privet.evidence._standing import CLAIMED as CLAIMED
    from privet.evidence._standing import Standing as Standing
    from privet.evidence._standing import standing_of as standing_of
    from privet.evidence._trusted_keys import FOLDER as FOLDER
    from privet.evidence._trusted_keys import HISTORY as HISTORY
    from privet.evidence._trusted_keys import TRUSTED as TRUSTED
    from privet.evidence._trusted_keys import is_own as is_own
    from privet.evidence._trusted_keys import read_keys as read_keys
    from privet.evidence._trusted_keys import trusted_keys as trusted_keys
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
