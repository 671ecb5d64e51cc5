"""Pseudonyms: one-way, reversible, format-preserving, random with a vault; keys, rotation and erasure.

One calls: `pseudonymize`, `reveal`, with a `KeyRing` or a `Vault`.
Never: calls pseudonyms anonymous, or writes a key where others can read it.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.transform.pseudonyms._key_ring import Key as Key
    from privet.protect.transform.pseudonyms._key_ring import KeyRing as KeyRing
    from privet.protect.transform.pseudonyms._key_ring import KeyScope as KeyScope
    from privet.protect.transform.pseudonyms._key_ring import subkey as subkey
    from privet.protect.transform.pseudonyms._key_storage import DEFAULT_FILE as DEFAULT_FILE
    from privet.protect.transform.pseudonyms._key_storage import ENVIRONMENT as ENVIRONMENT
    from privet.protect.transform.pseudonyms._key_storage import PASSPHRASE as PASSPHRASE
    from privet.protect.transform.pseudonyms._key_storage import SYSTEM as SYSTEM
    from privet.protect.transform.pseudonyms._key_storage import VARIABLE as VARIABLE
    from privet.protect.transform.pseudonyms._key_storage import check_private as check_private
    from privet.protect.transform.pseudonyms._key_storage import find_keys as find_keys
    from privet.protect.transform.pseudonyms._key_storage import save_keys as save_keys
    from privet.protect.transform.pseudonyms._pseudonym_tokens import digest as digest
    from privet.protect.transform.pseudonyms._pseudonym_tokens import worded as worded
    from privet.protect.transform.pseudonyms._pseudonymize import Method as Method
    from privet.protect.transform.pseudonyms._pseudonymize import hash_unkeyed as hash_unkeyed
    from privet.protect.transform.pseudonyms._pseudonymize import pseudonymize as pseudonymize
    from privet.protect.transform.pseudonyms._pseudonymize import reveal as reveal
    from privet.protect.transform.pseudonyms._vault import Vault as Vault
    from privet.protect.transform.pseudonyms._vault import data_sets_in as data_sets_in
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
