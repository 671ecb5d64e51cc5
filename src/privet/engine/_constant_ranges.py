"""Ranges that constants and trees keep to, so that an engine takes them whatever a row holds.

An engine's functions have ranges of their own: a start beyond 2^31 makes DuckDB's SUBSTRING raise, on the first row
that gets there and not before. So no constant reaches an engine that could be outside of such a range on any of them,
and no tree that could be too deep or too long for a parser, a planner or a code generator.
"""

from __future__ import annotations

from typing import Any

from privet.errors import BadExpression

# A start and a length together stay within 32 bits. No text of PostgreSQL or Spark is longer.
MOST_CHARACTERS = 2**30 - 1
LONGEST_TEXT = 10_000
MOST_VALUES = 5_000
MOST_EDGES = 1_024
# Products and quotients of numbers this size, and sums of as many of those as a tree has nodes, stay within doubles.
LARGE, SMALL = 1e150, 1e-150
# Origins and widths of bins: quotients of their differences with any operand stay within doubles.
LARGEST_WIDTH, SMALLEST_WIDTH = 1e100, 1e-100
MOST_NESTED = 100
MOST_NODES = 2_000
# What a tree is written out to: its operations, those of its parts as often as they are named.
MOST_OPERATIONS = 20_000


def require_substring(start: object, length: object) -> None:
    """Refuse positions that are no whole numbers, or beyond any text."""
    if type(start) is not int or type(length) is not int or start < 0 or length < 0:
        raise BadExpression("substring counts from 0, and its length cannot be negative.")
    if max(start, length) > MOST_CHARACTERS:
        raise BadExpression(
            f"start and length of a substring are at most {MOST_CHARACTERS:,}: no text is longer.",
            "Write a length that the text can have.",
        )


def require_values(values: tuple[Any, ...]) -> None:
    """Refuse lists of constants that are empty, or longer than every engine takes."""
    if not values:
        raise BadExpression("an empty list of constants was given.", "Name at least one value.")
    if len(values) > MOST_VALUES:
        raise BadExpression(
            f"more than {MOST_VALUES:,} constants were given to choose from.",
            "Put them into a public table and join with it.",
        )


def require_width(width: float, origin: float) -> None:
    """Refuse widths and origins of bins whose quotients could leave the range of doubles."""
    sized = origin == 0 or SMALLEST_WIDTH < abs(origin) < LARGEST_WIDTH
    if not (SMALLEST_WIDTH < width < LARGEST_WIDTH and sized):
        raise BadExpression("a bin's width must be positive, and width and origin of sensible size.")


def require_size(expression: Any, kinds: tuple[type, ...]) -> None:
    """Refuse a tree that is too deep or too long; `kinds` are the classes of its nodes.

    Parts that occur several times are counted as often, and looked at once: a tree may share them.
    """
    depth, nodes = measured(expression, kinds)
    if depth > MOST_NESTED:
        raise BadExpression(
            f"an expression is nested more than {MOST_NESTED} levels deep.",
            'Use one_of for long lists: col("ward").one_of([…]).',
        )
    if nodes > MOST_NODES:
        raise BadExpression(
            f"an expression has more than {MOST_NODES:,} parts, once written out.",
            "Compute less at once: derive columns of the parts, and use lists and bins instead of many cases.",
        )


def measured(expression: Any, kinds: tuple[type, ...]) -> tuple[int, int]:
    """How deep a tree is nested, and how many parts it has."""
    found: dict[int, tuple[int, int]] = {}
    todo = [expression]
    while todo:
        node = todo[-1]
        parts = [part for name in node.__slots__ if isinstance(part := getattr(node, name), kinds)]
        waiting = [part for part in parts if id(part) not in found]
        if waiting:
            todo.extend(waiting)
            continue
        todo.pop()
        inner = [found[id(part)] for part in parts]
        found[id(node)] = (
            1 + max((depth for depth, _ in inner), default=0),
            1 + sum(nodes for _, nodes in inner),
        )
    return found[id(expression)]
