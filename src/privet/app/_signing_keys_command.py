"""`privet keys signing`, `public`, `renew`: the data set's own key, which signs what it promises. No command shows a secret."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app._policy_amounts import DEFAULT, PolicyOption
from privet.app._terminal import JsonOption, emit, write, write_file

if TYPE_CHECKING:
    from privet.evidence import KeyHistory


def signing(*, policy: PolicyOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Make the data set's signing key, or show which keys it has had. `privet init` makes one as well.

    It stands in privet.signing beside the policy, for its owner alone; it is sealed if PRIVET_PASSPHRASE is set. An HSM or
    KMS signs instead where PRIVET_SIGNER=module:function names one.
    """
    from privet.dataset import make_signing_key
    from privet.evidence import FOLDER, HISTORY

    folder = policy.resolve().parent
    there = (folder / FOLDER / HISTORY).is_file()
    found = make_signing_key(folder)
    note = (
        "" if there else "Keep a copy of privet.signing where the data is not, and give the public key away."
    )
    _say(found, note, as_json=as_json)


def public(
    *,
    policy: PolicyOption = DEFAULT,
    to: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file to write; stdout otherwise.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Give out the public keys of the data set, with which anybody can check what it signed: `privet verify --key FILE`."""
    from privet.artifact import Publishable
    from privet.dataset import public_keys_of
    from privet.errors import NoSigningKey

    found = public_keys_of(policy.resolve().parent)
    if found is None:
        raise NoSigningKey("the data set has no signing key yet.", "Make one: privet keys signing.")
    text = json.dumps(found.to_json(), indent=1) + "\n"
    if to is None:
        write(text)
        return
    write_file(to, Publishable(text, "holds nothing from the data"))
    said = f"public keys written to {to}\ncurrent {found.current.public}"
    emit({**found.to_json(), "file": str(to)}, said, plain=str(to), as_json=as_json)


def renew(*, policy: PolicyOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Put a new signing key in the old one's place; what the old one signed until now stays valid.

    The old key signs that it hands over, and the ledger notes it.
    """
    from privet.dataset import anchor_keys, existing, public_keys_of, refuse_other_keys, rotate_signing_key
    from privet.pipeline import read_policy

    folder = policy.resolve().parent
    read, _ = read_policy(policy)
    ledger = existing(read, folder)
    with contextlib.nullcontext() if ledger is None else ledger:
        refuse_other_keys(ledger, public_keys_of(folder))
        found = rotate_signing_key(folder)
        if ledger is not None:
            anchor_keys(ledger, found)
    _say(found, "Give the public keys away again: privet keys public.", as_json=as_json)


def own(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to keep it.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Make a key of your own, with which you approve plans of others; shows its public part, which the owner needs."""
    from privet.dataset import make_own_key

    public = make_own_key(file).public
    emit({"public": public, "file": str(file)}, f"{public}\nat {file}", plain=public, as_json=as_json)


def approvers(
    people: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY]...", help="Public keys of the people who approve.")
    ] = None,
    *,
    needed: Annotated[int, typer.Option(min=0, help="How many of them approve a plan; 0 ends it.")] = 1,
    policy: PolicyOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Demand that plans are approved before they are run, and by whom. It is entered in the ledger, signed."""
    from privet.dataset import DataSet, demand_approval, public_of
    from privet.errors import NoSigningKey

    data = DataSet.read(policy)
    signing = data.signing()
    if signing is None:
        raise NoSigningKey("the data set has no signing key yet.", "Make one: privet keys signing.")
    with data.ledger() as ledger:
        found = demand_approval(ledger, signing, [public_of(one) for one in people or []], needed)
    said = (
        f"{found.needed} of {len(found.keys)} approve each plan from now on."
        if needed
        else "Plans need no approval."
    )
    emit(found.to_json(), said, plain=str(found.needed), as_json=as_json)


def _say(history: KeyHistory, note: str, *, as_json: bool) -> None:
    lines = [
        f"{key.public}  since {key.since[:10]}" + (f" until {key.until[:10]}" if key.until else "  current")
        for key in history.keys
    ]
    data = {**history.to_json(), "current": history.current.public, "note": note}
    emit(data, "\n".join([*lines, *([note] if note else [])]), plain=history.current.public, as_json=as_json)
