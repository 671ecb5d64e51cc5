"""Every setting that an attack reads can be given, and none is offered that nobody reads."""

import re
from pathlib import Path

from privet.attacks import _attack_registry as registry
from privet.attacks._attack_registry import attacks
from privet.attacks._attack_settings import SETTINGS


def test_every_setting_that_is_read_is_known() -> None:
    """A setting that an attack asks for and that `SETTINGS` lacks could never be given."""
    asked = set()
    for file in Path(registry.__file__).parent.rglob("*.py"):
        text = file.read_text()
        asked |= set(re.findall(r'case\.(?:setting|whole|number)\("([a-z_]+)"', text))
        asked |= set(re.findall(r'case\.settings\["([a-z_]+)"', text))
    asked |= {need for one in attacks() for need in one.needs} - {"members", "control", "promise"}
    assert asked <= SETTINGS


def test_every_setting_that_is_known_is_read() -> None:
    """A setting that no attack asks for would be taken in silence and change nothing."""
    folder = Path(registry.__file__).parent
    source = "".join(path.read_text() for path in folder.rglob("*.py") if path.name != "_attack_settings.py")
    needed = {need for one in attacks() for need in one.needs}
    assert sorted(name for name in SETTINGS - needed if f'"{name}"' not in source) == []
