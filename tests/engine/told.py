"""Everything an error could tell: its words, its parts, its chain and its printed traceback."""

import json
import traceback


def told(error):
    said, todo, seen = [], [error], set()
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        said += [
            str(one),
            repr(one),
            repr(one.args),
            repr(vars(one)),
            "".join(traceback.format_exception(one)),
        ]
        if hasattr(one, "to_json"):
            said.append(json.dumps(one.to_json()))
        todo += [one.__cause__, one.__context__]
    return "\n".join(said)
