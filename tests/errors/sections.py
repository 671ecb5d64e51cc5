"""What holds for each section of errors: codes that programs know stay, and every class can be met."""

import re
from functools import cache
from types import ModuleType

from tests.source_tree import SOURCE, modules

from privet import errors


@cache
def source_beyond_errors() -> str:
    inside = SOURCE / "errors"
    return "\n".join(path.read_text(encoding="utf-8") for path in modules() if inside not in path.parents)


def classes(section: ModuleType) -> dict[str, type[errors.PrivetError]]:
    """The classes that a section declares, by name."""
    return {
        name: thing
        for name, thing in vars(section).items()
        if isinstance(thing, type) and thing.__module__ == section.__name__
    }


def faults(section: ModuleType, known: dict[str, tuple[str, int]]) -> list[str]:
    """What is wrong with a section: new classes may come, and those that programs know stay what they are."""
    found = classes(section)
    now = {cls.code: (name, cls.exit_code) for name, cls in found.items()}
    wrong = [
        f"{code} was {said} and is {now.get(code)}" for code, said in known.items() if now.get(code) != said
    ]
    wrong += [f"{name} is not named in __all__" for name in found if name not in section.__all__]
    wrong += [
        f"{name} is not at the front door"
        for name, cls in found.items()
        if getattr(errors, name, None) is not cls
    ]
    beyond = source_beyond_errors()
    wrong += [f"{name} is raised nowhere" for name in found if not re.search(rf"\b{name}\b", beyond)]
    return wrong
