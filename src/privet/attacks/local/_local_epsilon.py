"""The epsilon of a client, from what it sends: two values are told apart by their reports, and the odds are counted."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.dp_audit import falsify
from privet.attacks.local._local_client import LocalClient, asked, client_of
from privet.attacks.local._local_guesses import candidates, promised_for
from privet.attacks.local._plain_reports import Rows, numbers_of
from privet.attacks.local._report_likelihoods import likelihoods
from privet.attacks.local._text_likelihoods import text_likelihoods
from privet.errors import BadAttack

NAME = "local-epsilon"
_TRIED = 6  # values that are tried in pairs before one pair is tested
_PILOT = 0.1  # of the draws


@register(name=NAME, on="client")
def local_epsilon(target: Any, case: Case) -> RiskEstimate:
    """Ask the client often about two values, and show from its reports the epsilon that it has at the least.

    A few values are tried in pairs; the pair that is told apart best is asked about anew, `draws` (20000) times each, and an
    event chosen on some of the reports is counted on the others (Clopper and Pearson 1934). A client that keeps its claim
    is accused with a probability of at most `alarm` (0.001), whatever it does. With `reports` (1) above one, each person
    reports so often about one value, and the claim is that of all of them together.
    """
    started = time.process_time()
    client = client_of(target, case.seed)
    draws, times = case.whole("draws", 20_000), case.whole("reports", 1)
    alarm = case.number("alarm", 1e-3)
    if not 0 < alarm < 0.5:
        raise BadAttack("alarm lies between 0 and 0.5.", "Set alarm=0.001.")
    pair, tried = _pair(client, max(200, int(_PILOT * draws)), times, case)
    here, there = _rows(client, pair, draws, times)
    shown = falsify(here, there, alarm=alarm, score=_difference(client), seed=case.seed)
    bound = client.together(times, case.promise)
    return RiskEstimate(
        attack=NAME,
        measure="epsilon",
        success=shown.epsilon,
        baseline=0.0,
        adversary=Adversary(
            "somebody who runs the client with values of their own",
            ("the client", "the public specification") if client.specification else ("the client",),
            "its reports",
        ),
        cost=AttackCost(time.process_time() - started, queries=2 * draws * times),
        bound=bound,
        bound_reason="" if bound is None else promised_for(times),
        promise=case.promise,
        detectable=shown.detectable,
        artifact="client",
        notes=(f"Told apart by: {shown.event}.", f"The pair that differs most among {tried} was tested."),
        details={
            "right": shown.right,
            "wrong": shown.wrong,
            "draws": shown.draws,
            "reports of each person": times,
        },
    )


def _pair(client: LocalClient, draws: int, times: int, case: Case) -> tuple[tuple[int, int], int]:
    """The two values whose reports differ most, by draws that are used for nothing else."""
    given = case.setting("values", None)
    if given is not None:
        places = [list(client.values).index(value) for value in given if value in list(client.values)]
        if len(places) != 2:
            raise BadAttack("values names two that the client has.", "Give values=[a, b].")
        return (places[0], places[1]), 1
    pairs = list(itertools.combinations(candidates(len(client.values), _TRIED).tolist(), 2))
    if len(pairs) == 1:
        return pairs[0], 1
    worth = []
    for pair in pairs:
        here, there = _rows(client, pair, draws, times)
        worth.append(falsify(here, there, alarm=0.05, score=_difference(client), seed=case.seed).epsilon.low)
    return pairs[int(np.argmax(worth))], len(pairs)


def _rows(client: LocalClient, pair: tuple[int, int], draws: int, times: int) -> tuple[Rows, Rows]:
    """What reports about both values say, as numbers: of each of the two where the hash functions and the oracle are known, else all they hold."""
    given = [client.repeated(asked(client.values, np.full(draws, one)), times) for one in pair]
    if client.oracle is not None:
        places = np.array(pair)
        both = [
            np.sum([likelihoods(client.oracle, part, places, client.seed) for part in side], axis=0)
            for side in given
        ]
        return both[0], both[1]
    if client.asks_for_text:
        assert client.specification is not None
        texts = [client.values[one] for one in pair]
        said = [
            np.sum(
                [text_likelihoods(client.specification, client.stated.epsilon, part, texts) for part in side],
                axis=0,
            )
            for side in given
        ]
        return said[0], said[1]
    rounds = [numbers_of(*sides) for sides in zip(*given, strict=True)]
    return (
        np.concatenate([one[0] for one in rounds], axis=1),
        np.concatenate([one[1] for one in rounds], axis=1),
    )


def _difference(client: LocalClient) -> Any:
    """The log-likelihood ratio of the two values, where the oracle is known: no other score tells more."""
    if client.oracle is None and not client.asks_for_text:
        return None
    return lambda rows: rows[:, 0] - rows[:, 1]
