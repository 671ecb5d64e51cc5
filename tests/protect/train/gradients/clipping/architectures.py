"""Small random language models of every kind that is offered, with texts that are awkward in every way."""

from dataclasses import dataclass, replace

import torch

from privet.protect.train.gradients._per_example_loss import Batch, Objective

EXAMPLES, VOCABULARY = 6, 29
NOT_A_NUMBER, FAR_TOO_LARGE = 1, 4  # the examples that are so
LANGUAGE = Objective.of("language")


@dataclass(frozen=True)
class Size:
    """A width and a length: short texts in wide layers take the way by ghost norms, others are written out."""

    width: int
    length: int


WRITTEN_OUT, GHOST = Size(16, 11), Size(32, 3)


def llama(size, *, tied=True, keys=4, **given):
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(**_body(size, tied, keys), **given))


def gemma(size, *, tied=True, keys=1, **given):
    from transformers import GemmaConfig, GemmaForCausalLM

    return GemmaForCausalLM(GemmaConfig(**_body(size, tied, keys), head_dim=size.width // 4, **given))


def gemma3(size, *, tied=True, keys=1, **given):
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    given = {"sliding_window": 2} | given
    return Gemma3ForCausalLM(Gemma3TextConfig(**_body(size, tied, keys), head_dim=size.width // 4, **given))


def gpt2(size, *, tied=True):
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(
            n_embd=size.width, n_layer=2, n_head=4, vocab_size=VOCABULARY, n_positions=size.length + 2,
            tie_word_embeddings=tied,
        )
    )  # fmt: skip


def lora(model, targets, **given):
    from peft import LoraConfig, get_peft_model

    return get_peft_model(model, LoraConfig(r=2, target_modules=targets, lora_dropout=0.1, **given))


def _body(size, tied, keys):
    return {
        "hidden_size": size.width, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": keys,
        "intermediate_size": 20, "vocab_size": VOCABULARY, "max_position_embeddings": 32, "tie_word_embeddings": tied,
        "pad_token_id": None, "bos_token_id": None, "eos_token_id": None, "use_cache": False,
    }  # fmt: skip


ATTENTION, GATED = ["q_proj", "v_proj"], ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]  # fmt: skip
ARCHITECTURES = {
    "Llama: tied, SwiGLU": llama,
    "Llama: untied": lambda size: llama(size, tied=False),
    "Llama: groups of queries": lambda size: llama(size, keys=2),
    "Llama: one key for all queries": lambda size: llama(size, keys=1),
    "Llama: with biases": lambda size: llama(size, attention_bias=True, mlp_bias=True),
    "Llama: own attention": lambda size: llama(size, attn_implementation="eager"),
    "Gemma: tied, GeGLU, one key": gemma,
    "Gemma: untied": lambda size: gemma(size, tied=False),
    "Gemma 3: tied, one key": gemma3,
    "Gemma 3: untied, groups": lambda size: gemma3(size, tied=False, keys=2),
    "GPT-2: tied": gpt2,
    "GPT-2: untied": lambda size: gpt2(size, tied=False),
    "LoRA of Llama's attention": lambda size: lora(llama(size), ATTENTION),
    "LoRA of all of Llama's layers": lambda size: lora(llama(size, tied=False, keys=2), GATED),
    "LoRA of Gemma 3": lambda size: lora(gemma3(size), GATED),
    "LoRA of GPT-2": lambda size: lora(gpt2(size), ["c_attn", "c_proj"], fan_in_fan_out=True),
    "LoRA and an output of one's own": lambda size: lora(
        llama(size, tied=False), ATTENTION, modules_to_save=["lm_head"]
    ),
}


def made(name, size=WRITTEN_OUT):
    """A model with weights far from those it begins with, and the parameters that are trained."""
    torch.manual_seed(0)
    model = ARCHITECTURES[name](size)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    model.eval()
    return model, {key: weight for key, weight in model.named_parameters() if weight.requires_grad}


def texts(size=WRITTEN_OUT, examples=EXAMPLES):
    """Tokens that come again, one text of a single token, one that fills up to the length, one that counts for nothing."""
    torch.manual_seed(1)
    ids = torch.randint(0, VOCABULARY, (examples, size.length))
    ids[:, 2] = ids[:, 0]
    ids[2] = 7
    counted = ids.clone()
    counted[3, size.length // 2 :] = -100
    counted[5:] = -100
    return Batch({"input_ids": ids}, counted, examples)


def with_outliers(batch):
    """The same with one text whose loss is no number, and one whose gradient is a million times too large."""
    shares = torch.ones(batch.examples)
    shares[NOT_A_NUMBER], shares[FAR_TOO_LARGE] = float("nan"), 1e6
    return replace(batch, weights=shares)
