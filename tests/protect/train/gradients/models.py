"""Small models of every kind that clipping must be exact on, with data for them; all from fixed seeds."""

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from privet.protect.train.gradients._per_example_loss import Batch, Objective

B, T, V, D = 5, 7, 23, 8


def seeded(make):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = make()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return model


class Dense4D(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 3)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x))).mean((1, 2))


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x):
        h = F.relu(self.a(x), inplace=True)
        h = h + 1
        out = self.b(h)
        out += h
        return self.c(out.mul_(2))


class Attention(nn.Module):
    """Causal attention, RMS norm, gated layers, tied or functionally tied output."""

    def __init__(self, tied):
        super().__init__()
        self.embed, self.position = nn.Embedding(V, D, padding_idx=0), nn.Embedding(T, D)
        self.qkv, self.out = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D)
        self.norm, self.last = nn.RMSNorm(D), nn.LayerNorm(D)
        self.gate, self.up, self.down = (nn.Linear(D, 2 * D), nn.Linear(D, 2 * D), nn.Linear(2 * D, D))
        self.head = nn.Linear(D, V, bias=False)
        self.tied = tied
        if tied == "module":
            self.head.weight = self.embed.weight
        if tied == "function":
            del self.head

    def forward(self, ids):
        h = self.embed(ids) + self.position(torch.arange(ids.shape[1]))
        q, k, v = (
            x.view(len(ids), -1, 2, D // 2).transpose(1, 2) for x in self.qkv(self.norm(h)).chunk(3, -1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + self.out(mixed.transpose(1, 2).reshape(h.shape))
        h = h + self.down(F.silu(self.gate(h)) * self.up(h))
        h = self.last(h)
        return F.linear(h, self.embed.weight) if self.tied == "function" else self.head(h)


class Bare(nn.Module):
    """Parameters that belong to no layer: a matrix product, a scale, a bias, a weight used through a view."""

    def __init__(self, view=False):
        super().__init__()
        self.w, self.u = nn.Parameter(torch.randn(6, 5)), nn.Parameter(torch.randn(3, 5))
        self.scale, self.inner, self.view = nn.Parameter(torch.ones(5)), nn.Linear(5, 5), view

    def forward(self, x):
        h = torch.tanh(self.inner(x @ self.w))
        return (h * self.scale) @ self.u.t() if self.view else h @ self.u.t()


class Shared(nn.Module):
    """One layer used three times, once on flattened rows."""

    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.Linear(4, 4), nn.Linear(4, 3)

    def forward(self, x):
        h = self.layer(torch.tanh(self.layer(x)))
        h = self.layer(h.reshape(-1, 4)).view(x.shape)
        return self.head(h).sum(1)


class OldRMSNorm(nn.Module):
    """As in Gemma: one plus the weight."""

    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * (1.0 + self.weight.float())


class SequenceFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 3)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x.transpose(0, 1)))).transpose(0, 1).mean(1)


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix, self.head = nn.MultiheadAttention(4, 2, batch_first=True), nn.Linear(4, 3)

    def forward(self, x):
        return self.head(self.mix(x, x, x, need_weights=False)[0].mean(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 3)

    def forward(self, x):
        return self.head(self.cell(x)[0][:, -1])


class Branching(nn.Module):
    """A branch on a value: nothing that maps over examples can follow it."""

    def __init__(self):
        super().__init__()
        self.inner, self.scale = nn.Linear(6, 3), nn.Parameter(torch.ones(2, 3))

    def forward(self, x):
        which = [int(float(row.sum()) > 0) for row in x]
        return self.inner(x) * self.scale[which]


def conv():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, stride=2, padding=1),
        nn.GroupNorm(2, 4),
        nn.ReLU(),
        nn.Conv2d(4, 4, (2, 3), dilation=(1, 2), groups=2),
        nn.Tanh(),
        nn.Flatten(),
        nn.LazyLinear(3),
    )


def conv1d():
    return nn.Sequential(
        nn.Conv1d(4, 6, 3, padding=2, stride=2), nn.Tanh(), nn.Conv1d(6, 5, 2), nn.Flatten(), nn.LazyLinear(3)
    )


def classes(*shape):
    torch.manual_seed(1)
    return Batch(torch.randn(B, *shape), torch.randint(0, 3, (B,)), B)


def tokens():
    torch.manual_seed(1)
    ids = torch.randint(0, V, (B, T))
    ids[:, 3] = ids[:, 1]
    return Batch(ids, ids, B)


def sequences():
    batch = tokens()
    return Batch({"input_ids": batch.inputs}, batch.targets, B)


def materialised(make, shape):
    def built():
        model = make()
        model(torch.zeros(2, *shape))
        return model

    return built


SMALL = {"hidden_size": D, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": V}


def llama(tied):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(**SMALL, intermediate_size=12, tie_word_embeddings=tied, num_key_value_heads=1)
    return LlamaForCausalLM(config)


def gemma2():
    from transformers import Gemma2Config, Gemma2ForCausalLM

    config = Gemma2Config(**SMALL, intermediate_size=12, head_dim=4, num_key_value_heads=1)
    return Gemma2ForCausalLM(config)


def gemma3():
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    config = Gemma3TextConfig(**SMALL, intermediate_size=12, head_dim=4, num_key_value_heads=1)
    return Gemma3ForCausalLM(config)


def vault_gemma():
    from transformers import VaultGemmaConfig, VaultGemmaForCausalLM

    config = VaultGemmaConfig(**SMALL, intermediate_size=12, head_dim=4, num_key_value_heads=1)
    return VaultGemmaForCausalLM(config)


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(n_embd=D, n_layer=2, n_head=2, vocab_size=V, n_positions=T + 2))


def lora():
    from peft import LoraConfig, get_peft_model

    return get_peft_model(
        llama(tied=True), LoraConfig(r=2, target_modules=["q_proj", "v_proj"], lora_dropout=0.1)
    )


# name: (model, data, loss, the engine that the automatic choice must take)
CASES = {
    "logistic": (lambda: nn.Linear(6, 3), lambda: classes(6), "cross_entropy", "closed"),
    "dense": (
        lambda: nn.Sequential(nn.Linear(6, 9), nn.ReLU(inplace=True), nn.Linear(9, 3)),
        lambda: classes(6),
        "cross_entropy",
        "closed",
    ),
    "group norm of vectors": (
        lambda: nn.Sequential(nn.Linear(6, 8), nn.GroupNorm(2, 8), nn.Tanh(), nn.Linear(8, 3)),
        lambda: classes(6),
        "cross_entropy",
        "bookkeeping",
    ),
    "4-D dense": (Dense4D, lambda: classes(3, 5, 4), "cross_entropy", "bookkeeping"),
    "changed in place": (InPlace, lambda: classes(6), "cross_entropy", "bookkeeping"),
    "convolution": (
        materialised(conv, (2, 9, 12)),
        lambda: classes(2, 9, 12),
        "cross_entropy",
        "bookkeeping",
    ),
    "convolution 1-D": (materialised(conv1d, (4, 9)), lambda: classes(4, 9), "cross_entropy", "bookkeeping"),
    "old RMS norm": (
        lambda: nn.Sequential(nn.Linear(4, 6), OldRMSNorm(6), nn.Flatten(), nn.Linear(18, 3)),
        lambda: classes(3, 4),
        "cross_entropy",
        "bookkeeping",
    ),
    "attention": (lambda: Attention(None), tokens, "language", "bookkeeping"),
    "attention, tied": (lambda: Attention("module"), tokens, "language", "bookkeeping"),
    "attention, functionally tied": (lambda: Attention("function"), tokens, "language", "bookkeeping"),
    "bare matrix": (
        lambda: nn.Sequential(nn.Linear(6, 6), Bare()),
        lambda: classes(6),
        "cross_entropy",
        "vmapped",
    ),
    "bare, through views": (lambda: Bare(view=True), lambda: classes(6), "cross_entropy", "vmapped"),
    "one layer three times": (Shared, lambda: classes(3, 4), "cross_entropy", "bookkeeping"),
    "sequence first": (SequenceFirst, lambda: classes(3, 4), "cross_entropy", "vmapped"),
    "multi-head attention": (SelfAttention, lambda: classes(3, 4), "cross_entropy", "vmapped"),
    "recurrent": (Recurrent, lambda: classes(3, 4), "cross_entropy", "vmapped"),
    "branching on values": (Branching, lambda: classes(6), "cross_entropy", "looped"),
    "Llama": (lambda: llama(tied=False), sequences, "language", "bookkeeping"),
    "Llama, tied": (lambda: llama(tied=True), sequences, "language", "bookkeeping"),
    "Gemma 2": (gemma2, sequences, "language", "bookkeeping"),
    "Gemma 3": (gemma3, sequences, "language", "bookkeeping"),
    "VaultGemma": (vault_gemma, sequences, "language", "bookkeeping"),
    "GPT-2": (gpt2, sequences, "language", "bookkeeping"),
    "LoRA": (lora, sequences, "language", "bookkeeping"),
}


def case(name):
    """A model, the parameters that are trained, a batch and an objective."""
    make, data, loss, _ = CASES[name]
    model = seeded(make)
    trained = {key: value for key, value in model.named_parameters() if value.requires_grad}
    return model, trained, data(), Objective.of(loss)
