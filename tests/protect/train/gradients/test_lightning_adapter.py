"""A LightningModule's settings are kept or refused by name; without Lightning the refusal says so."""

import importlib.util

import pytest
import torch
from tests.protect.train.gradients.runs import data, net, planned

from privet.errors import BadTraining, MissingExtra
from privet.protect.train.gradients import from_lightning

HERE = importlib.util.find_spec("lightning") is not None
needed = pytest.mark.skipif(not HERE, reason="Lightning is not installed")


@pytest.mark.skipif(HERE, reason="Lightning is installed")
def test_without_lightning_it_is_said_what_to_install():
    model = net()
    with pytest.raises(MissingExtra, match="Lightning"):
        from_lightning(model, planned(model))


def module(configured=None, **hooks):
    from lightning.pytorch import LightningModule

    class Ward(LightningModule):
        def __init__(self):
            super().__init__()
            self.inner = net()

        def forward(self, x):
            return self.inner(x)

        def training_step(self, batch, batch_idx):
            raise AssertionError("it sees a whole batch")

        def configure_optimizers(self):
            if configured is not None:
                return configured(self)
            optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
            schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.5, 2)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    for name, hook in hooks.items():
        setattr(Ward, name, hook)
    return Ward()


def trainer(**given):
    from lightning.pytorch import Trainer

    quiet = {"enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
    usual = {"max_steps": 4, "logger": False, "accelerator": "cpu", "devices": 1}
    return Trainer(**{**quiet, **usual, **given})


@needed
def test_settings_are_kept_and_loggers_hear_what_anybody_may_see(ledger):
    from lightning.pytorch.loggers.logger import DummyLogger

    said = []

    class Heard(DummyLogger):
        def log_metrics(self, metrics, step):
            said.append((step, sorted(metrics)))

    made = module()
    # Not sixty: so many entries has Lightning's own class, which would be taken for one for each record.
    run = from_lightning(made, planned(made, records=70, batch=70), trainer(logger=Heard()))
    assert run.optimizer.optimizer == "adam"
    assert run.optimizer.rates == pytest.approx((0.1, 0.075, 0.05, 0.05))
    run.train(data(70), ledger=ledger, why="a test")
    assert ledger.balance().spends == 1
    assert said == [(step, ["bound", "epsilon", "lr"]) for step in (1, 2, 3, 4)]


@needed
@pytest.mark.parametrize(
    "name",
    [
        "on_after_backward",
        "optimizer_step",
        "configure_gradient_clipping",
        "train_dataloader",
        "on_train_batch_end",
        "backward",
    ],
)
def test_hooks_that_see_batches_or_gradients_are_refused(name):
    made = module(**{name: lambda self, *_, **__: None})
    with pytest.raises(BadTraining, match=name):
        from_lightning(made, planned(made))


@needed
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"accumulate_grad_batches": 2}, "accumulate_grad_batches"),
        ({"gradient_clip_val": 1.0}, "gradient_clip_val"),
        ({"precision": "bf16-mixed"}, "precision"),
        ({"overfit_batches": 2}, "overfit_batches"),
        ({"enable_checkpointing": True}, "ModelCheckpoint"),
        ({"max_steps": 5}, "pays for 4 steps"),
    ],
)
def test_settings_that_cannot_be_kept_are_refused(given, words, tmp_path):
    made = module()
    with pytest.raises(BadTraining, match=words):
        from_lightning(made, planned(made), trainer(default_root_dir=tmp_path, **given))


@needed
def test_optimizers_that_cannot_be_kept_are_refused():
    def by_epochs(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2)]

    def two(self):
        return [torch.optim.SGD([one], lr=0.1) for one in self.parameters()][:2]

    for configured, words in (
        (by_epochs, "by epochs"),
        (two, "several optimizers"),
        (lambda self: None, "or none"),
    ):
        made = module(lambda self, configured=configured: configured(self))
        with pytest.raises(BadTraining, match=words):
            from_lightning(made, planned(made))
    manual = module()
    manual.automatic_optimization = False
    with pytest.raises(BadTraining, match="manual optimization"):
        from_lightning(manual, planned(manual))
    with pytest.raises(BadTraining, match="LightningModule"):
        from_lightning(net(), planned(net()))
