"""Draws docs/house.svg from `.importlinter`, so that the picture shows the rules that are enforced.

    python tools/draw_house.py            writes the picture
    python tools/draw_house.py --check    fails when the picture is not the one the rules give

Floors come from the `layers` contract, wings from the contracts whose key ends in `-wing`, the gate from the
`protected` contract, onlookers from theirs, borrowed libraries from the contracts on the whole package, and
captions from the section `[house]`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from configparser import ConfigParser, SectionProxy
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

REPOSITORY = Path(__file__).resolve().parent.parent
RULES = REPOSITORY / ".importlinter"
PICTURE = REPOSITORY / "docs" / "house.svg"

WIDTH, LEFT, RIGHT = 1000, 90, 910
ROOF, TALL, LOW, GAP, SPACE = 150, 84, 48, 14, 16
INK, QUIET, LINE = "#22303c", "#5c6b78", "#b9c4ce"
PLAIN = ("#f6f8fa", "#b9c4ce", INK)
WINGS = (("#e3f1fb", "#4a90c2", "#174a6e"), ("#fdf0dc", "#d09332", "#6d4405"))
GATE = ("#e2f4e6", "#3f9a58", "#1c5630")


@dataclass(frozen=True)
class House:
    """What the rules say, in the order they say it."""

    floors: tuple[tuple[str, ...], ...]
    captions: dict[str, str]
    wings: dict[str, tuple[str, ...]]
    gate: tuple[str, str]
    onlookers: tuple[str, ...]
    borrowed: dict[str, list[str]] = field(default_factory=dict)


class Place(NamedTuple):
    """A rectangle in the picture."""

    x: float
    y: float
    width: float
    height: int


def _items(section: SectionProxy, option: str) -> list[str]:
    return [line.strip() for line in section.get(option, "").splitlines() if line.strip()]


def _room(module: str) -> str:
    return module.split(".")[1]


def read_rules(path: Path = RULES) -> House:
    """The house that the contract file describes."""
    parser = ConfigParser(interpolation=None)
    parser.read_string(path.read_text(encoding="utf-8"))
    contracts = {name.rsplit(":", 1)[1]: parser[name] for name in parser.sections() if ":contract:" in name}
    floors = tuple(
        tuple(room.strip() for room in line.split("|"))
        for line in _items(contracts["floors"], "layers")
        if not line.startswith("__")
    )
    wings = {
        section["name"].split(":")[0]: tuple(_room(module) for module in _items(section, "source_modules"))
        for key, section in contracts.items()
        if key.endswith("-wing")
    }
    gate = contracts["gate"]
    house = House(
        floors=floors,
        captions=dict(parser["house"]),
        wings=wings,
        gate=(
            _room(_items(gate, "allowed_importers")[0]),
            _room(_items(gate, "protected_modules")[0]),
        ),
        onlookers=tuple(_room(module) for module in _items(contracts["onlookers"], "source_modules")),
    )
    for section in contracts.values():
        if _items(section, "source_modules") == [parser["importlinter"]["root_package"]]:
            for exception in _items(section, "ignore_imports"):
                place, library = exception.split(" -> ")
                house.borrowed.setdefault(_room(place), []).append(library)
    return house


# --- drawing -----------------------------------------------------------------------------------


def _text(x: float, y: float, words: str, size: int, colour: str, *, extra: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"{extra}>{escape(words)}</text>'


def _pills(x: float, y: float, end: float, names: list[str]) -> Iterator[str]:
    """Borrowed libraries as small labels; those that do not fit are counted."""
    for number, name in enumerate(names):
        width = 6.4 * len(name) + 14
        last = number == len(names) - 1
        if x + width + (0 if last else 40) > end:
            yield _text(x + 2, y + 13, f"+{len(names) - number}", 11, QUIET)
            return
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="18" rx="9" fill="#ffffff" stroke="{LINE}"/>'
        )
        yield _text(
            x + width / 2, y + 13, name, 11, QUIET, extra=' text-anchor="middle" font-family="monospace"'
        )
        x += width + 6


def _colours(house: House, room: str) -> tuple[str, str, str]:
    if room == house.gate[0]:
        return GATE
    for colours, rooms in zip(WINGS, house.wings.values(), strict=False):
        if room in rooms:
            return colours
    return PLAIN


def _draw_room(house: House, room: str, place: Place) -> Iterator[str]:
    x, y, width, height = place
    fill, edge, ink = _colours(house, room)
    dash = ' stroke-dasharray="5 4"' if room in house.onlookers else ""
    yield (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height}" rx="8" fill="{fill}" stroke="{edge}" '
        f'stroke-width="1.6"{dash}/>'
    )
    libraries = house.borrowed.get(room, [])
    caption = house.captions.get(room, "")
    bold = ' font-weight="700"'
    if height == LOW:
        yield _text(x + 16, y + 30, room, 18, ink, extra=bold)
        yield _text(x + 140, y + 30, caption, 13, QUIET)
        yield from _pills(x + 470, y + 15, x + width - 10, libraries)
    else:
        yield _text(x + 16, y + 27, room, 18, ink, extra=bold)
        yield _text(x + 16, y + 47, caption, 13, QUIET)
        yield from _pills(x + 14, y + 57, x + width - 10, libraries)


def _places(house: House) -> dict[str, Place]:
    """Where each room stands. Rooms of one floor share it evenly; a room alone on its floor needs less height."""
    places = {}
    y = float(ROOF)
    for floor in house.floors:
        width = (RIGHT - LEFT - SPACE * (len(floor) - 1)) / len(floor)
        height = LOW if len(floor) == 1 else TALL
        for number, room in enumerate(floor):
            places[room] = Place(LEFT + number * (width + SPACE), y, width, height)
        y += height + GAP
    return places


def _draw_shell(bottom: float) -> Iterator[str]:
    middle = WIDTH / 2
    yield f'<rect width="{WIDTH}" height="{bottom + 128:g}" fill="#ffffff"/>'
    yield (
        f'<path d="M{LEFT - 44} {ROOF - 20} L{middle:g} 26 L{RIGHT + 44} {ROOF - 20} Z" fill="#eef2f5" '
        f'stroke="{LINE}" stroke-width="1.6" stroke-linejoin="round"/>'
    )
    yield (
        f'<rect x="{LEFT - 20}" y="{ROOF - 20}" width="{RIGHT - LEFT + 40}" height="{bottom - ROOF + 34:g}" '
        f'fill="#fcfdfe" stroke="{LINE}" stroke-width="1.6"/>'
    )
    yield _text(
        middle, 88, "privet", 34, INK, extra=' text-anchor="middle" font-weight="700" letter-spacing="1.5"'
    )
    words = "rooms import what is below them, never what is above"
    yield _text(middle, 113, words, 14, QUIET, extra=' text-anchor="middle"')
    x = LEFT - 48
    yield (
        f'<path d="M{x} {ROOF + 8} V{bottom - 12:g}" stroke="{QUIET}" stroke-width="1.6" marker-end="url(#tip)"/>'
    )
    turn = f' text-anchor="middle" transform="rotate(-90 {x - 12} {(ROOF + bottom) / 2:g})"'
    yield _text(x - 12, (ROOF + bottom) / 2, "imports", 13, QUIET, extra=turn)


def _draw_wings(house: House, places: dict[str, Place]) -> Iterator[str]:
    """A wall between the wings, and the gate through which alone the book wing is entered."""
    wings = list(house.wings.values())
    rooms = [places[room] for wing in wings for room in wing]
    x = places[wings[1][0]].x - SPACE / 2
    yield (
        f'<path d="M{x:g} {min(room.y for room in rooms):g} V{max(room.y + room.height for room in rooms):g}" '
        f'stroke="{INK}" stroke-width="4" stroke-linecap="round"/>'
    )
    above, below = (places[room] for room in house.gate)
    x = min(above.x + above.width, below.x + below.width) - 26
    yield (
        f'<path d="M{x:g} {above.y + above.height - 12:g} V{below.y + 3:g}" stroke="{GATE[1]}" '
        'stroke-width="5" marker-end="url(#gate)"/>'
    )


def _draw_legend(house: House, y: float) -> Iterator[str]:
    entries = [
        (colours, name.lower(), "")
        for colours, name in zip(WINGS, house.wings, strict=False)  # a wing per colour
    ]
    entries.append((GATE, f"the gate: only {house.gate[0]} calls {house.gate[1]}", ""))
    entries.append((PLAIN, "onlooker: no way to the book wing", ' stroke-dasharray="5 4"'))
    x = float(LEFT - 20)
    for (fill, edge, _), words, dash in entries:
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="22" height="16" rx="4" fill="{fill}" stroke="{edge}" '
            f'stroke-width="1.6"{dash}/>'
        )
        yield _text(x + 30, y + 13, words, 13, QUIET)
        x += 30 + 7.0 * len(words) + 26
    x = LEFT - 20
    yield f'<path d="M{x + 11} {y + 30:g} v20" stroke="{INK}" stroke-width="4" stroke-linecap="round"/>'
    yield _text(x + 30, y + 45, "a wall: neither wing imports the other", 13, QUIET)
    yield from _pills(x + 326, y + 32, RIGHT, ["library"])
    yield _text(x + 396, y + 45, "borrowed, and imported in these rooms only", 13, QUIET)


def _description(house: House) -> str:
    floors = "; ".join(" beside ".join(floor) for floor in house.floors)
    wings = "; ".join(f"{name.lower()}: {' and '.join(rooms)}" for name, rooms in house.wings.items())
    return (
        f"Floors from top to bottom: {floors}. A room imports only rooms below it. {wings.capitalize()}. "
        f"Neither wing imports the other. Only {house.gate[0]} calls {house.gate[1]}. "
        f"{' and '.join(house.onlookers).capitalize()} are onlookers."
    )


def _tip(name: str, colour: str, size: int) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="{size}" markerHeight="{size}" '
        f'orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="{colour}"/></marker>'
    )


def draw(house: House) -> str:
    """The picture as SVG text; the same rules always give the same text."""
    places = _places(house)
    bottom = max(place.y + place.height for place in places.values())
    shapes = [*_draw_shell(bottom)]
    for room, place in places.items():
        shapes.extend(_draw_room(house, room, place))
    shapes.extend(_draw_wings(house, places))
    shapes.extend(_draw_legend(house, bottom + 38))
    height = f"{bottom + 108:g}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'height="{height}" role="img" aria-labelledby="title description" '
            "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\">",
            '<title id="title">The house: which rooms of Privet may import which</title>',
            f'<desc id="description">{escape(_description(house))}</desc>',
            f"<defs>{_tip('tip', QUIET, 7)}{_tip('gate', GATE[1], 3)}</defs>",
            *shapes,
            "</svg>\n",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    """Write the picture, or check it."""
    parser = argparse.ArgumentParser(description="Draw docs/house.svg from .importlinter.")
    parser.add_argument("--check", action="store_true", help="fail when the picture is out of date")
    wanted = draw(read_rules())
    if parser.parse_args(arguments).check:
        if PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == wanted:
            return 0
        print(
            "docs/house.svg is not what .importlinter gives: run python tools/draw_house.py", file=sys.stderr
        )
        return 1
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(wanted, encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
