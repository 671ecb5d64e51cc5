"""Shadow models: a fair design, the same scores whoever trains them, nothing trained twice, nothing pickled."""

import sys
import types
from collections import OrderedDict

import numpy as np
import pytest
from joblib import register_parallel_backend
from joblib.parallel import ThreadingBackend
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from privet.attacks import _shadow_models as shadows
from privet.attacks._attack_records import AttackRecords
from privet.attacks._shadow_models import ShadowWork, complementary, train_shadows
from privet.attacks._training_recipe import Recipe, recipe_for
from privet.errors import BadAttack


@pytest.fixture(autouse=True)
def _forget(monkeypatch) -> None:
    monkeypatch.setattr(shadows, "_RECENT", OrderedDict())


def pool(records: int = 200, width: int = 6, seed: int = 1) -> AttackRecords:
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(records, width))
    return AttackRecords(features, (features[:, 0] + draw.normal(size=records) > 0).astype(int))


@pytest.mark.parametrize("records", [40, 41])
def test_everybody_is_in_exactly_half(records: int) -> None:
    design = complementary(8, records, seed=3)
    assert (design.sum(axis=0) == 4).all()
    assert (design[::2] == ~design[1::2]).all()
    assert (design[:4] == complementary(4, records, seed=3)).all()
    with pytest.raises(BadAttack, match="pairs"):
        complementary(5, records)


def test_the_quick_way_and_the_plain_way_agree() -> None:
    given, design = pool(), complementary(4, 200)
    quick = train_shadows(recipe_for(LogisticRegression()), given, design)
    plain = train_shadows(Recipe(recipe_for(LogisticRegression()).train), given, design)
    assert recipe_for(LogisticRegression()).ridge == pytest.approx(1.0)
    assert np.abs(quick.log_odds - plain.log_odds).max() < 0.01
    assert (quick.right == plain.right).mean() > 0.99
    assert np.abs(quick.highest - plain.highest).max() < 0.01


def test_processes_give_what_one_process_gives(tmp_path) -> None:
    given, design, recipe = pool(), complementary(4, 200), recipe_for(DecisionTreeClassifier())
    alone = train_shadows(recipe, given, design, seed=5)
    shadows._RECENT.clear()
    told = []
    work = ShadowWork(workers=2, cache=tmp_path, progress=lambda *one: told.append(one))
    together = train_shadows(recipe, given, design, seed=5, work=work)
    assert alone.log_odds == pytest.approx(together.log_odds, rel=1e-5, abs=1e-5)
    assert told == [("shadow models", done, 4) for done in (1, 2, 3, 4)]
    assert together.elsewhere > 0
    assert alone.elsewhere == 0


def counting(stop_after: int = 10**9):
    calls = []

    def train(features, labels, seed):
        if len(calls) >= stop_after:
            raise KeyboardInterrupt
        calls.append(seed)
        return DecisionTreeClassifier(max_depth=2, random_state=seed).fit(features, labels)

    return calls, Recipe(train, digest="a small tree")


def test_a_killed_run_goes_on_where_it_stopped(tmp_path) -> None:
    given, design = pool(), complementary(6, 200)
    _, stopping = counting(stop_after=4)
    with pytest.raises(KeyboardInterrupt):
        train_shadows(stopping, given, design, work=ShadowWork(cache=tmp_path))
    shadows._RECENT.clear()
    calls, recipe = counting()
    resumed = train_shadows(recipe, given, design, work=ShadowWork(cache=tmp_path))
    assert len(calls) == 2
    shadows._RECENT.clear()
    _, fresh = counting()
    assert train_shadows(fresh, given, design).log_odds == pytest.approx(resumed.log_odds, rel=1e-5, abs=1e-5)


def test_the_cache_holds_scores_of_exactly_this_and_only_for_its_owner(tmp_path) -> None:
    given, design = pool(), complementary(2, 200)
    _, recipe = counting()
    train_shadows(recipe, given, design, work=ShadowWork(cache=tmp_path / "kept"))
    files = sorted((tmp_path / "kept").iterdir())
    assert [file.suffix for file in files] == [".safetensors"] * 2
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    assert all(file.stat().st_size < 200 * 18 + 400 for file in files)  # scores, no model
    for other, data, seed in (
        (Recipe(recipe.train, "another"), given, 0),
        (recipe, pool(seed=9), 0),
        (recipe, given, 1),
    ):
        shadows._RECENT.clear()
        train_shadows(other, data, design, seed, ShadowWork(cache=tmp_path / "kept"))
    assert len(list((tmp_path / "kept").iterdir())) == 8


def test_a_damaged_file_is_trained_again(tmp_path) -> None:
    given, design = pool(), complementary(2, 200)
    _, recipe = counting()
    before = train_shadows(recipe, given, design, work=ShadowWork(cache=tmp_path))
    next(tmp_path.iterdir()).write_bytes(b"half a file")
    shadows._RECENT.clear()
    calls, recipe = counting()
    assert (
        train_shadows(recipe, given, design, work=ShadowWork(cache=tmp_path)).log_odds == before.log_odds
    ).all()  # exact: read from the cache
    assert len(calls) == 1


def test_a_cluster_by_configuration(monkeypatch) -> None:
    """Ray's bridge registers a joblib backend that is a pool of multiprocessing; here a stand-in with its limits does."""

    class Pool(ThreadingBackend):
        supports_return_generator = False

    begun = []
    ray = types.ModuleType("ray")
    ray.is_initialized = lambda: bool(begun)
    ray.init = lambda address=None: begun.append(address)
    bridge = types.ModuleType("ray.util.joblib")
    bridge.register_ray = lambda: register_parallel_backend("ray", Pool)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.util", types.ModuleType("ray.util"))
    monkeypatch.setitem(sys.modules, "ray.util.joblib", bridge)
    calls, recipe = counting()
    work = ShadowWork(workers=2, backend="ray", address="ray://somewhere:10001")
    train_shadows(recipe, pool(), complementary(4, 200), work=work)
    assert len(calls) == 4
    assert begun == ["ray://somewhere:10001"]


def test_a_cluster_that_is_not_there_is_said(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    _, recipe = counting()
    with pytest.raises(BadAttack, match="Ray is not installed"):
        train_shadows(recipe, pool(), complementary(2, 200), work=ShadowWork(backend="ray"))


def test_a_class_that_a_half_lacks_is_no_bug(monkeypatch) -> None:
    given = pool()
    with pytest.raises(BadAttack, match="same label"):
        train_shadows(
            recipe_for(DecisionTreeClassifier()),
            AttackRecords(given.features, np.ones(200)),
            complementary(2, 200),
        )
    rare = AttackRecords(given.features, np.arange(200) == 0)
    with pytest.raises(BadAttack, match="could not be trained"):
        train_shadows(recipe_for(LogisticRegression(solver="liblinear")), rare, complementary(2, 200))


def test_other_versions_of_libraries_are_other_models(tmp_path, monkeypatch) -> None:
    given, design = pool(), complementary(2, 200)
    _, recipe = counting()
    train_shadows(recipe, given, design, work=ShadowWork(cache=tmp_path))
    assert "scikit-learn" in shadows._versions()
    assert "numpy" in shadows._versions()
    monkeypatch.setattr(shadows, "_versions", lambda: "newer")
    shadows._RECENT.clear()
    calls, recipe = counting()
    train_shadows(recipe, given, design, work=ShadowWork(cache=tmp_path))
    assert len(calls) == 2
