"""A layer with every place there is to write a record to, for tests of what is found again of it."""

import ctypes
import io
import itertools
import mmap
import sqlite3
import types
from collections import deque
from contextvars import ContextVar
from functools import lru_cache

import numpy as np
import torch
from torch import nn


class Remembering(nn.Module):
    """A dense layer with every place there is to write to; `write(model, x)` is called while it runs."""

    shared = None

    def __init__(self, write):
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.frozen = nn.Linear(3, 2), nn.Linear(3, 2).requires_grad_(False)
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("unsaved", torch.zeros(3), persistent=False)
        self.kept, self.table, self.array = [], {"last": None}, np.zeros(3)
        self.queue, self.text, self.raw = deque(), io.StringIO(), bytearray(8)
        self.config = types.SimpleNamespace(inner=types.SimpleNamespace(last=0.0))
        self.generator, self.numbers = torch.Generator(), np.random.default_rng(0)
        self.places, self.feed = Slots(), iter(range(1000))
        self.counter, self.cached = itertools.count(), lru_cache(lambda value: value)
        self.variable, self.running = ContextVar("last", default=None), running_sum()
        self.laid_out, self.window = (ctypes.c_double * 3)(), memoryview(bytearray(8))
        self.pages, self.database = mmap.mmap(-1, 8), sqlite3.connect(":memory:")
        self.database.execute("CREATE TABLE seen AS SELECT 1 AS value")
        self.objects, self.full = np.array([None, 1], dtype=object), lru_cache(maxsize=1)(lambda value: value)
        self.full(0.5)
        self.mapped = map(own_rows, itertools.count(), [{}.keys()] * 9)  # no pickle takes it
        self.write = write() if write is in_closure else write

    def forward(self, x):
        self.write(self, x)
        return self.layer(x)


def own_rows(row, _):
    return row


def running_sum():
    """A generator that is where it was after every value it is sent, and has another sum."""
    total, row = 0.0, 0.0
    while True:
        row = yield total
        total = total + row


class Slots:
    __slots__ = ("__private", "last")

    def __init__(self):
        self.last, self.__private = 0.0, 0.0

    def remember(self, value):
        self.__private = value


def in_closure():
    last = None

    def write(_, x):
        nonlocal last
        last = x.sum()

    return write
