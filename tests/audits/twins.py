"""Small made-up twins of real tables: how rows belong to people, without the real ones. Nobody in them exists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def visits(people: int = 120, seed: int = 1, *, key: str = "id") -> pa.Table:
    """A trial with some visits of each patient: arm, sex and age do not change, what is measured does."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(1, 6, people)
    who = np.repeat(draw.permutation(people) + 1, rows)
    visit = np.concatenate([np.arange(n) + 1 for n in rows])
    level = np.repeat(draw.normal(50, 10, people), rows)
    return _mixed(
        draw,
        {
            key: who,
            "arm": np.repeat(draw.choice(["placebo", "active"], people), rows),
            "sex": np.repeat(draw.choice(["F", "M"], people), rows),
            "age": np.repeat(draw.integers(5, 70, people), rows),
            "visit": visit,
            "score": np.round(level + draw.normal(0, 5, len(who)), 1),
        },
    )


def panel(people: int = 150, years: int = 6, seed: int = 2) -> pa.Table:
    """The same people year after year."""
    draw = np.random.default_rng(seed)
    who = np.repeat(draw.permutation(people) + 500, years)
    return _mixed(
        draw,
        {
            "nr": who,
            "year": np.tile(np.arange(1990, 1990 + years), people),
            "school": np.repeat(draw.integers(8, 18, people), years),
            "ethn": np.repeat(draw.choice(["a", "b", "c"], people, p=[0.6, 0.25, 0.15]), years),
            "wage": np.round(np.repeat(draw.normal(10, 3, people), years) + draw.normal(0, 1, len(who)), 2),
        },
    )


def centres(seed: int = 3) -> pa.Table:
    """Numbers that start anew in each of two centres, with four visits of each patient."""
    draw = np.random.default_rng(seed)
    people = [(centre, number) for centre in (1, 2) for number in range(1, 57)]
    many = len(people)
    return _mixed(
        draw,
        {
            "center": np.repeat([centre for centre, _ in people], 4),
            "id": np.repeat([number for _, number in people], 4),
            "treat": np.repeat(draw.choice(["A", "P"], many), 4),
            "sex": np.repeat(draw.choice(["F", "M"], many), 4),
            "age": np.repeat(draw.integers(11, 69, many), 4),
            "visit": np.tile([1, 2, 3, 4], many),
            "outcome": draw.integers(0, 2, 4 * many),
        },
    )


def households(seed: int = 4) -> pa.Table:
    """Children of families: sex differs within, the parents' heights do not."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 9, 180)
    return _mixed(
        draw,
        {
            "family": np.repeat(draw.permutation(180) + 1, sizes),
            "father": np.repeat(np.round(draw.normal(69, 2.5, 180), 1), sizes),
            "mother": np.repeat(np.round(draw.normal(64, 2.3, 180), 1), sizes),
            "child_num": np.concatenate([np.arange(n) + 1 for n in sizes]),
            "sex": draw.choice(["F", "M"], sizes.sum()),
            "height": np.round(draw.normal(66, 3.5, sizes.sum()), 1),
        },
    )


def interviewers(seed: int = 5) -> pa.Table:
    """A survey: the number is the interviewer's, and whom they asked differ in everything."""
    draw = np.random.default_rng(seed)
    rows = 1500
    return pa.table(
        {
            "id": draw.integers(1, 110, rows),
            "female": draw.integers(0, 2, rows),
            "age": draw.integers(18, 90, rows),
            "degree": draw.integers(0, 2, rows),
            "knows": draw.integers(1, 6, rows),
            "home": draw.integers(0, 2, rows),
        }
    )


def classes(seed: int = 6) -> pa.Table:
    """Pupils in classes: what the class has is constant, pupils differ."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(8, 30, 90)
    return _mixed(
        draw,
        {
            "class": np.repeat(draw.permutation(90) + 100, sizes),
            "size": np.repeat(sizes, sizes),
            "combined": np.repeat(draw.integers(0, 2, 90), sizes),
            "sex": draw.choice(["F", "M"], sizes.sum()),
            "iq": draw.integers(80, 130, sizes.sum()),
            "language": draw.integers(9, 58, sizes.sum()),
        },
    )


def without_key(people: int = 300, rows: int = 7, seed: int = 7) -> pa.Table:
    """Seven years of each person, and no column that says whose."""
    draw = np.random.default_rng(seed)
    return _mixed(
        draw,
        {
            "experience": (draw.integers(1, 40, people)[:, None] + np.arange(rows)).ravel(),
            "sex": np.repeat(draw.choice(["F", "M"], people), rows),
            "schooling": np.repeat(draw.integers(4, 18, people), rows),
            "wage": np.round(draw.normal(6, 0.5, people * rows), 4),
        },
    )


def survey(seed: int = 8) -> pa.Table:
    """One row for each person."""
    draw = np.random.default_rng(seed)
    rows = 600
    age = draw.integers(18, 90, rows)
    return pa.table(
        {
            "age": age,
            "age_group": age // 10,
            "sex": draw.choice(["F", "M"], rows),
            "region": draw.choice(list("NSEWC"), rows),
            "education": draw.integers(6, 20, rows),
            "income": (draw.lognormal(10, 0.5, rows) // 100).astype(int) * 100,
            "children": draw.integers(0, 5, rows),
        }
    )


def waves(seed: int = 9) -> pa.Table:
    """A survey of other people each year, numbered anew each time: (year, id) is unique, and id says nothing."""
    draw = np.random.default_rng(seed)
    years, people = 8, 200
    rows = years * people
    return _mixed(
        draw,
        {
            "id": np.tile(np.arange(1, people + 1), years),
            "year": np.repeat(np.arange(2000, 2000 + years), people),
            "sex": draw.choice(["F", "M"], rows),
            "race": draw.choice(["White", "Black", "Other"], rows, p=[0.7, 0.2, 0.1]),
            "age": draw.integers(18, 90, rows),
            "degree": draw.integers(0, 5, rows),
            "party": draw.integers(0, 8, rows),
        },
    )


def _mixed(draw: np.random.Generator, columns: dict[str, np.ndarray]) -> pa.Table:
    """The rows in another order: a key must be found without it."""
    table = pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})
    return table.take(pa.array(draw.permutation(len(table))))
