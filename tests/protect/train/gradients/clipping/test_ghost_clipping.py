"""Book-keeping: one backward pass gives the clipped sums of single examples, or refuses."""

import pytest
import torch
from tests.protect.train.gradients.clipping.sums import assert_same
from tests.protect.train.gradients.models import CASES, case
from torch import nn

from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients._self_check import checked_engine
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._ghost_clipping import Bookkeeping
from privet.protect.train.gradients.clipping._per_example_loop import Looped
from privet.protect.train.gradients.clipping._weight_hooks import NotSeen

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("name", [name for name, one in CASES.items() if one[3] == "bookkeeping"])
@pytest.mark.parametrize("normalised", [False, True])
def test_sums_norms_and_losses_are_those_of_single_examples(name, normalised):
    model, trained, batch, objective = case(name)
    model.eval()
    rule = ClippingRule(0.5, normalised)
    truth = Looped(model, trained, objective).clipped_sum(batch, rule)
    assert_same(Bookkeeping(model, trained, objective).clipped_sum(batch, rule), truth)


def test_unknown_uses_are_noticed_in_every_batch_not_only_in_the_check():
    class Later(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.late = nn.Linear(4, 3), False

        def forward(self, x):
            return self.layer(x) + (self.layer.weight.sum() if self.late else 0)

    model = Later()
    batch = Batch(torch.randn(4, 4), torch.randint(0, 3, (4,)), 4)
    engine = Bookkeeping(model, dict(model.named_parameters()), Objective.of("cross_entropy"))
    engine.clipped_sum(batch, ClippingRule(1.0))
    model.late = True
    with pytest.raises(NotSeen, match=r"layer\.weight"):
        engine.clipped_sum(batch, ClippingRule(1.0))


def test_a_batch_that_looks_like_positions_is_still_exact():
    """Seven positions and seven examples: which is which cannot be told from the shape."""
    model, trained, batch, objective = case("attention")
    engine = checked_engine(model, trained, objective, batch, "auto")
    ids = torch.randint(1, 23, (14, 7))
    for size in (7, 14, 1):
        wide = Batch(ids[:size], ids[:size], size)
        truth = Looped(model, trained, objective).clipped_sum(wide, ClippingRule(0.5))
        assert_same(engine.clipped_sum(wide, ClippingRule(0.5)), truth)


def classes(examples=4):
    torch.manual_seed(2)
    return Batch(torch.randn(examples, 4), torch.randint(0, 3, (examples,)), examples)


class Scaled(nn.Module):
    """A layer whose weight is a vector of its own making."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(4) + 0.1 * torch.arange(4.0))

    def forward(self, x):
        return x * (1 + self.gain)


def test_vectors_of_any_make_are_lent_row_by_row_and_taken_back():
    model = nn.Sequential(Scaled(), nn.Linear(4, 3))
    own, trained, batch = model[0].gain, dict(model.named_parameters()), classes(5)
    objective = Objective.of("cross_entropy")
    engine = Bookkeeping(model, trained, objective)
    found = engine.clipped_sum(batch, ClippingRule(0.3))
    assert_same(found, Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3)))
    assert engine.last == [1, 1]
    assert model[0].gain is own
    assert "_lent" not in vars(model[0])


def test_vectors_are_taken_back_when_the_model_fails():
    class Failing(nn.Module):
        def forward(self, x):
            raise KeyError

    model = nn.Sequential(Scaled(), Failing())
    own = model[0].gain
    with pytest.raises(KeyError):
        Bookkeeping(model, dict(model.named_parameters()), Objective.of("cross_entropy")).clipped_sum(
            classes(), ClippingRule(1.0)
        )
    assert model[0].gain is own
    assert not model[0]._forward_hooks
    assert not model[0]._forward_pre_hooks


def test_an_input_changed_after_its_use_is_refused():
    class Overwriting(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 3)

        def forward(self, x):
            inner = self.first(x)
            found = self.second(inner)
            inner.detach().add_(1)
            return found

    model = Overwriting()
    engine = Bookkeeping(model, dict(model.named_parameters()), Objective.of("cross_entropy"))
    with pytest.raises(NotSeen, match="changed in place"):
        engine.clipped_sum(classes(), ClippingRule(0.3))


def test_a_weight_nothing_uses_has_a_sum_of_zero():
    model = nn.Linear(4, 3)
    trained = {**dict(model.named_parameters()), "idle": nn.Parameter(torch.ones(2))}
    found = Bookkeeping(model, trained, Objective.of("cross_entropy")).clipped_sum(
        classes(), ClippingRule(1.0)
    )
    assert found.sums["idle"].tolist() == [0, 0]


def test_the_path_and_the_ratios_of_a_batch_are_kept():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 3))
    engine = Bookkeeping(model, dict(model.named_parameters()), Objective.of("cross_entropy"))
    engine.clipped_sum(classes(), ClippingRule(1.0))
    assert engine.last == [1, 1]
    first = engine.path
    engine.clipped_sum(classes(2), ClippingRule(1.0))
    assert engine.path == first
    model.append(nn.Tanh())
    engine.clipped_sum(classes(), ClippingRule(1.0))
    assert engine.path != first


def test_a_batch_of_other_ratios_is_halved_until_it_fits():
    model, trained, batch = nn.Linear(4, 3), None, classes(5)
    trained = dict(model.named_parameters())
    objective = Objective.of("cross_entropy")
    engine = Bookkeeping(model, trained, objective)
    engine.ratios = [7]
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3))
    assert_same(engine.clipped_sum(batch, ClippingRule(0.3)), truth)


def test_an_embedding_used_elementwise_too_is_refused():
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(5, 3)

        def forward(self, ids):
            return torch.nn.functional.layer_norm(self.table(ids), (5, 3)[1:], self.table.weight[0])

    model = Both()
    engine = Bookkeeping(model, dict(model.named_parameters()), Objective.of("cross_entropy"))
    with pytest.raises(NotSeen):
        engine.clipped_sum(Batch(torch.tensor([1, 2]), torch.tensor([0, 1]), 2), ClippingRule(1.0))


def test_an_embedding_used_twice_adds_up_before_its_norm():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.out = nn.Embedding(6, 4), nn.Linear(4, 3)

        def forward(self, ids):
            return self.out(self.table(ids).sum(1) * self.table(ids[:, :2] + 1).sum(1))

    torch.manual_seed(4)
    model = Twice()
    trained, objective = dict(model.named_parameters()), Objective.of("cross_entropy")
    batch = Batch(torch.tensor([[0, 1, 1], [2, 2, 3], [4, 0, 1]]), torch.tensor([0, 1, 2]), 3)
    found = Bookkeeping(model, trained, objective).clipped_sum(batch, ClippingRule(0.3))
    assert_same(found, Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3)))


def images(examples=6):
    torch.manual_seed(4)
    return Batch(torch.randn(examples, 2, 9, 7), torch.randint(0, 3, (examples,)), examples)


@pytest.mark.parametrize(
    "layer",
    [
        nn.Conv2d(2, 4, 3),
        nn.Conv2d(2, 4, (2, 3), stride=(2, 1), padding=(1, 2), dilation=(2, 1)),
        nn.Conv2d(2, 4, 1),
        nn.Conv2d(2, 4, 3, groups=2),
    ],
)
@pytest.mark.parametrize("channels_last", [False, True])
def test_convolutions_of_every_form_and_layout_give_the_sums_of_single_examples(layer, channels_last):
    model = nn.Sequential(
        layer, nn.ReLU(), nn.Conv2d(4, 5, 2), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(20, 3)
    )
    trained, objective = dict(model.named_parameters()), Objective.of("cross_entropy")
    engine = Bookkeeping(model, trained, objective, channels_last=channels_last)
    truth = Looped(model, trained, objective).clipped_sum(images(), ClippingRule(0.5))
    assert_same(engine.clipped_sum(images(), ClippingRule(0.5)), truth)


class Viewed(nn.Module):
    """Looks at images in the layout that they have by default."""

    def __init__(self, look):
        super().__init__()
        self.layer, self.last, self.look = nn.Conv2d(2, 4, 2), nn.Linear(192, 3), look

    def forward(self, x):
        return self.last(self.look(self.layer(x)))


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x.view(len(x), -1),
        lambda x: x.as_strided((len(x), 192), (192, 1)),  # silently reads another order
    ],
)
def test_a_model_that_goes_by_the_layout_of_images_keeps_the_one_it_has(look):
    model = Viewed(look)
    trained, objective = dict(model.named_parameters()), Objective.of("cross_entropy")
    engine = checked_engine(model, trained, objective, images(), "auto")
    truth = Looped(model, trained, objective).clipped_sum(images(), ClippingRule(0.5))
    assert_same(engine.clipped_sum(images(), ClippingRule(0.5)), truth)


def test_a_convolution_used_twice_has_one_gradient():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.last = nn.Conv2d(2, 2, 1), nn.Linear(126, 3)

        def forward(self, x):
            weight = self.layer.weight
            both = nn.functional.conv2d(x, weight) + nn.functional.conv2d(x, weight, groups=1)
            return self.last(both.flatten(1))

    model = Twice()
    trained = {name: weight for name, weight in model.named_parameters() if name != "layer.bias"}
    objective = Objective.of("cross_entropy")
    truth = Looped(model, trained, objective).clipped_sum(images(), ClippingRule(0.5))
    assert_same(Bookkeeping(model, trained, objective).clipped_sum(images(), ClippingRule(0.5)), truth)
