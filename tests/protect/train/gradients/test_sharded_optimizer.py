"""An optimizer's state in parts: the weights of one that has it whole, and a state that is put together and taken up again."""

import pytest
import torch
import torch.distributed as dist
from tests.protect.train.gradients.runs import net

from privet.errors import BadTraining
from privet.protect.train.gradients import Optimizer
from privet.protect.train.gradients._process_group import Ranks
from privet.protect.train.gradients._sharded_optimizer import ShardedState, state_for
from privet.protect.train.gradients._training_state import State


@pytest.fixture
def group():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def moved(state, steps, seed=0):
    generator = torch.Generator().manual_seed(seed)
    count = sum(weight.numel() for weight in state.trained.values())
    for step in range(steps):
        state.move(torch.randn(count, generator=generator, dtype=torch.float64), 0.1 / (step + 1))
    return state


def sharded_state(group, settings):
    return ShardedState(dict(net().named_parameters()), settings, 1.0, Ranks(0, 1, group))


@pytest.mark.parametrize("name", ["adam", "adamw"])
def test_it_moves_weights_as_the_whole_optimizer_does_and_keeps_the_same_state(group, name):
    settings = Optimizer(name, rate=0.1, decay=0.2, average=0.5)
    plain = moved(State(dict(net().named_parameters()), settings, 1.0), 4).tensors()
    found = moved(sharded_state(group, settings), 4).tensors()
    assert plain.keys() == found.keys()
    for key, value in plain.items():
        torch.testing.assert_close(found[key], value, msg=key)


def test_a_state_that_is_taken_up_goes_on_as_if_it_had_never_stopped(group):
    settings = Optimizer("adam", rate=0.1)
    whole = moved(moved(sharded_state(group, settings), 3), 2, seed=1).tensors()
    begun = moved(sharded_state(group, settings), 3)
    again = sharded_state(group, settings)
    again.restore({name: value.clone() for name, value in begun.tensors().items()})
    assert again.tensors().keys() == begun.tensors().keys(), "before the next step too"
    follower = sharded_state(group, settings)
    follower.take_over(begun.handed_out())
    for one in (again, follower):
        found = moved(one, 2, seed=1).tensors()
        for key, value in whole.items():
            torch.testing.assert_close(found[key], value, msg=key)


def test_what_is_handed_out_is_without_the_average_and_a_follower_has_none(group):
    settings = Optimizer("adam", average=0.5)
    leads = moved(sharded_state(group, settings), 1)
    follows = ShardedState(dict(net().named_parameters()), settings, 1.0, Ranks(1, 2, group))
    assert follows.average is None
    from safetensors.torch import load

    assert not any(name.startswith("average/") for name in load(leads.handed_out()))


def test_only_what_torch_shards_exactly_is_sharded(group):
    trained = dict(net().named_parameters())
    ranks = Ranks(0, 1, group)
    assert type(state_for(trained, Optimizer("adam"), 1.0, ranks, sharded=True)) is ShardedState
    assert type(state_for(trained, Optimizer("adam"), 1.0, ranks, sharded=False)) is State
    assert type(state_for(trained, Optimizer("adam"), 1.0, Ranks(), sharded=True)) is State, (
        "one process has it all"
    )
    for name in ("sgd", "adam_bc"):
        with pytest.raises(BadTraining, match="not sharded"):
            state_for(trained, Optimizer(name), 1.0, ranks, sharded=True)
    mixed = {**trained, "other": torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))}
    with pytest.raises(BadTraining, match="several types"):
        state_for(mixed, Optimizer("adam"), 1.0, ranks, sharded=True)
