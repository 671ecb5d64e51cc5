"""Silence for one thread: what a library warns of or logs while it works for us, and nothing that others say.

`warnings.catch_warnings`, `logging.disable` and redirected streams change what the whole process hears, and threads
that come and go in turn can leave it changed for good. Here a filter is put in place once and stays; it holds back
only what is said in a thread that asked for silence.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import warnings
from collections.abc import Iterator


class _Thread(threading.local):
    silent = 0  # how many times silence was asked for


_thread = _Thread()


class _InSilence(type):
    """Every kind of warning counts as one of these in a silent thread, and none in another."""

    def __subclasscheck__(cls, kind: type) -> bool:
        return _thread.silent > 0


class _Unheard(Warning, metaclass=_InSilence):
    pass


class _Filter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        del record
        return _thread.silent == 0


_FILTER = _Filter()


@contextlib.contextmanager
def quiet(*libraries: str) -> Iterator[None]:
    """Neither warnings in this thread nor log messages of these libraries, until the end."""
    if not any(kind is _Unheard for _, _, kind, *_ in warnings.filters):
        warnings.simplefilter("ignore", category=_Unheard)
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.partition(".")[0] in libraries and isinstance(logger, logging.Logger):
            logger.addFilter(_FILTER)
    _thread.silent += 1
    try:
        yield
    finally:
        _thread.silent -= 1
