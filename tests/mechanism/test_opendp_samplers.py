"""The samplers' plumbing, and their scale conventions against OpenDP's own privacy maps."""

import ast
import json
import math
import os
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import privet.mechanism
from privet.errors import InternalError
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    PermuteAndFlip,
    RandomizedResponse,
)
from privet.guarantee._zero_concentrated import zcdp_cost
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism._noise_scales import scale_of
from privet.sealed import Sensitivity

ROOM = Path(privet.mechanism.__file__).parent


@pytest.mark.parametrize("draw", [sampling.draw_discrete_laplace, sampling.draw_discrete_gaussian])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_vectors_have_the_length_asked_for(draw, n):
    noise = draw(n, 3.0)
    assert noise.dtype == np.int64
    assert noise.shape == (n,)


def test_long_vectors_are_drawn_piece_by_piece(monkeypatch):
    monkeypatch.setattr(sampling, "PIECE", 10)
    noise = sampling.draw_discrete_laplace(25, 2.0**40)
    assert noise.shape == (25,)
    assert len(set(noise.tolist())) == 25  # two equal among 25: odds below 1e-9


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_no_scale_switches_the_noise_off(scale):
    for draw in (sampling.draw_discrete_laplace, sampling.draw_discrete_gaussian):
        with pytest.raises(InternalError):
            draw(3, scale)
    with pytest.raises(InternalError):
        sampling.draw_noisy_max(np.array([1, 2]), scale, "gumbel")


@pytest.mark.parametrize("scale", ["0.3", "1", "2.5", "1e6", "7/3"])
@pytest.mark.parametrize("total", [1, 4, 1000])
def test_laplace_costs_what_opendp_says(scale, total):
    event = DiscreteLaplace(scale, total)
    theirs = sampling._laplace(scale_of(event, Sensitivity(1, total, total))).map(total)
    assert theirs == pytest.approx(float(pure_cost(event).epsilon), rel=1e-9)


@pytest.mark.parametrize("sigma", ["0.3", "1", "2.5", "1e6", "7/3"])
@pytest.mark.parametrize(("largest", "coordinates"), [(1, 1), (3, 1), (2, 9)])
def test_gaussian_costs_what_opendp_says(sigma, largest, coordinates):
    event = DiscreteGaussian(sigma, largest, coordinates)
    sensitivity = Sensitivity.per_coordinate(coordinates, largest)
    theirs = sampling._gaussian(scale_of(event, sensitivity)).map(largest * math.sqrt(coordinates))
    assert theirs == pytest.approx(float(zcdp_cost(event).rho), rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "7/3"])
@pytest.mark.parametrize("largest", [1, 5])
def test_selection_costs_what_opendp_says(epsilon, largest):
    sensitivity = Sensitivity.per_coordinate(3, largest)
    gumbel, flips = Exponential(epsilon), PermuteAndFlip(epsilon)
    rho = sampling._noisy_max(scale_of(gumbel, sensitivity), "gumbel").map(largest)
    assert rho == pytest.approx(float(zcdp_cost(gumbel).rho), rel=1e-9)
    pure = sampling._noisy_max(scale_of(flips, sensitivity), "exponential").map(largest)
    assert pure == pytest.approx(float(pure_cost(flips).epsilon), rel=1e-9)


@pytest.mark.parametrize(("p", "buckets"), [("0.5", 2), ("0.25", 5), ("0.9", 3), ("1/3", 7)])
def test_randomised_response_costs_what_opendp_says(p, buckets):
    import opendp.prelude as dp

    event = RandomizedResponse(p, buckets)
    truth = float(1 - event.p + event.p / buckets)
    theirs = dp.m.make_randomized_response(list(range(buckets)), prob=truth).map(1)
    assert theirs == pytest.approx(float(pure_cost(event).epsilon), rel=1e-9)


def test_coins_with_no_chance_never_fall_heads():
    assert not sampling._draw_coins(1000, 0.0).any()
    assert sampling._draw_coins(0, 0.5).shape == (0,)


@pytest.mark.parametrize("p", [Fraction(1, 10**30), Fraction(1, 3), Fraction(2, 3), Fraction(1)])
def test_replacement_is_never_rarer_than_promised(monkeypatch, p):
    seen = {}

    def coins(n, chance):
        seen.setdefault("chance", Fraction(chance))
        assert chance <= 0.5
        return np.zeros(n, dtype=bool)

    monkeypatch.setattr(sampling, "_draw_coins", coins)
    out = sampling.draw_randomized_response(np.array([1, 1]), p, 2)
    if p > Fraction(1, 2):  # the coins say what is kept, and none fell heads
        assert seen["chance"] <= 1 - p
        assert out.tolist() == [0, 0]
    else:  # the coins say what is replaced
        assert seen["chance"] >= p
        assert out.tolist() == [1, 1]


def test_opendp_is_loaded_by_the_first_draw_only():
    program = (
        "import sys, privet.mechanism as m; assert 'opendp' not in sys.modules;"
        "m._opendp_samplers.draw_discrete_laplace(1, 1.0); assert 'opendp' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def imported(path: Path) -> set[str]:
    """Every module, and every attribute of numpy, that a file names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np":
            found.add(f"numpy.{node.attr}")
    return found


def test_noise_comes_from_opendp_and_from_nowhere_else():
    other = {"random", "secrets", "numpy.random", "os.urandom", "os"}
    names = {path.name: imported(path) for path in ROOM.glob("*.py")}
    # Generators are for shuffles and key material is for secrets: neither is noise that carries a proof. A seed
    # needs the operating system for its file; gradient noise, in floats, says in its proof what it assumes. Trials
    # draw how many there are and what each tries, and say in their proof what that assumes.
    assert {file for file, found in names.items() if found & other} == {
        "_generators.py",
        "_gradient_noise.py",
        "_key_material.py",
        "_secret_seed.py",
        "_private_trials.py",
    }
    users = {file for file, found in names.items() if any(name.startswith("opendp") for name in found)}
    assert users == {"_opendp_samplers.py"}
    assert not any(name.startswith("logging") for found in names.values() for name in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forked processes here")
def test_forked_processes_draw_different_noise():
    """Equal noise in two answers would cancel. False alarms: below one in 10^30."""
    sampling.draw_discrete_laplace(3, 1e12)  # so that there would be a state to inherit
    drawn = {tuple(sampling.draw_discrete_laplace(3, 1e12).tolist())}
    for _ in range(3):
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            os.write(writing, json.dumps(sampling.draw_discrete_laplace(3, 1e12).tolist()).encode())
            os._exit(0)
        os.waitpid(child, 0)
        drawn.add(tuple(json.loads(os.read(reading, 1000))))
        os.close(reading)
        os.close(writing)
    assert len(drawn) == 4


def test_threads_draw_different_noise():
    """False alarms: about one in 10^12."""
    drawn, start = [], threading.Barrier(8)

    def draw():
        start.wait()
        for _ in range(20):
            drawn.extend(sampling.draw_discrete_gaussian(2, 1e17).tolist())

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == len(set(drawn)) == 320


def test_a_single_coin_is_thrown_too():
    """Of 200 fair coins thrown one at a time none, or every one, comes up with a chance of 2^-199."""
    thrown = {bool(sampling._draw_coins(1, 0.5)[0]) for _ in range(200)}
    assert thrown == {True, False}
    assert not sampling._draw_coins(1, 0.0).any()
    assert len(sampling._draw_coins(0, 0.5)) == 0


@pytest.mark.parametrize("buckets", [1, 2, 5, 8])
def test_uniform_draws_reach_every_bucket_alike(buckets):
    """Of 4,000 draws each bucket gets its share within 40 %: outside with odds below 1e-10 (Chernoff)."""
    counts = np.bincount(sampling._draw_uniform(4000, buckets), minlength=buckets)
    assert len(counts) == buckets
    assert (abs(counts * buckets / 4000 - 1) < 0.4).all()


def test_pieces_are_large_enough_to_be_fast_and_small_enough_for_memory():
    assert 2**16 <= sampling.PIECE <= 2**20
