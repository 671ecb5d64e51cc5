"""Arguments of Hugging Face's Trainer are kept or refused by name, and callbacks are told what anybody may see."""

import pytest
from tests.protect.train.gradients.runs import data, net, planned

from privet.errors import BadTraining
from privet.protect.train.gradients import from_hugging_face

transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")


@pytest.fixture
def arguments(tmp_path):
    def made(**given):
        usual = {"output_dir": str(tmp_path / "out"), "max_steps": 4, "max_grad_norm": 0, "use_cpu": True}
        return transformers.TrainingArguments(**{**usual, **given})

    return made


class Heard(transformers.TrainerCallback):
    def __init__(self):
        self.said = []

    def on_train_begin(self, args, state, control, **given):
        self.said.append(("begin", state.max_steps, sorted(given)))

    def on_step_end(self, args, state, control, **given):
        self.said.append(("step", state.global_step, sorted(given)))

    def on_log(self, args, state, control, logs=None, **given):
        self.said.append(("log", sorted(logs), sorted(given)))

    def on_train_end(self, args, state, control, **given):
        self.said.append(("end", state.global_step, sorted(given)))


def test_settings_are_kept_and_callbacks_hear_what_anybody_may_see(arguments, ledger, tmp_path):
    model, heard = net(), Heard()
    given = arguments(
        learning_rate=0.1,
        lr_scheduler_type="linear",
        warmup_steps=2,
        optim="adamw_torch",
        per_device_train_batch_size=16,
        save_steps=3,
        logging_steps=2,
        report_to="none",
    )
    run = from_hugging_face(model, planned(model), given, callbacks=[heard])
    assert run.optimizer.optimizer == "adamw"
    assert not run.optimizer.decay
    assert run.optimizer.rates == pytest.approx((0.0, 0.05, 0.1, 0.05))
    assert (run.speed.physical, run.speed.every, run.speed.ranks) == (16, 3, False)
    trained = run.train(data(), ledger=ledger, why="a test")
    assert ledger.balance().spends == 1
    assert trained.progress[2].rate == pytest.approx(0.1)
    assert (tmp_path / "out" / "run.json").exists()
    shown = ["clipping_bound", "epsilon", "learning_rate", "signal_to_noise", "step"]
    log = ("log", shown, [])
    assert heard.said == [
        ("begin", 4, []),
        ("step", 1, []),
        ("step", 2, []),
        log,
        ("step", 3, []),
        ("step", 4, []),
        log,
        ("end", 4, []),
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gradient_accumulation_steps": 2}, "gradient_accumulation_steps"),
        ({"bf16": True}, "bf16"),
        ({"max_grad_norm": 1.0}, "max_grad_norm"),
        ({"weight_decay": 0.1}, "weight_decay"),
        ({"adam_beta2": 0.99}, "adam_beta2"),
        ({"label_smoothing_factor": 0.1}, "label_smoothing_factor"),
        ({"dataloader_num_workers": 2}, "dataloader_num_workers"),
        ({"dataloader_drop_last": True}, "dataloader_drop_last"),
        ({"train_sampling_strategy": "group_by_length"}, "train_sampling_strategy"),
        ({"eval_strategy": "steps", "eval_steps": 2}, "eval_strategy"),
        ({"neftune_noise_alpha": 5.0}, "neftune_noise_alpha"),
        ({"gradient_checkpointing": True}, "gradient_checkpointing"),
        ({"optim": "adafactor"}, "optim"),
        ({"max_steps": 5}, "pays for 4 steps"),
        ({"max_steps": -1}, "pays for 4 steps"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(arguments, given, words):
    model = net()
    with pytest.raises(BadTraining, match=words):
        from_hugging_face(model, planned(model), arguments(**given))


def test_callbacks_that_touch_gradients_are_refused(arguments):
    class Touching(transformers.TrainerCallback):
        def on_pre_optimizer_step(self, args, state, control, **given):
            pass

    model = net()
    with pytest.raises(BadTraining, match=r"Touching\.on_pre_optimizer_step"):
        from_hugging_face(model, planned(model), arguments(), callbacks=[Touching()])
    with pytest.raises(BadTraining, match="objects of TrainerCallback"):
        from_hugging_face(model, planned(model), arguments(), callbacks=[Touching])
    with pytest.raises(BadTraining, match="TrainingArguments"):
        from_hugging_face(model, planned(model), object())


def test_a_callback_that_stops_a_run_is_told_that_it_was_booked_whole(arguments, ledger):
    class Stopping(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, **given):
            control.should_training_stop = True
            return control

    model = net()
    run = from_hugging_face(model, planned(model), arguments(), callbacks=[Stopping()])
    with pytest.raises(BadTraining, match="booked whole"):
        run.train(data(), ledger=ledger, why="a test")
