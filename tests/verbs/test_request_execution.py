"""Carrying a request out: rows on the data set's terms, and nothing made or opened for what costs nothing."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.pipeline.hospital import RELEASE, project

import privet as pv
from privet.dataset import DataSet
from privet.errors import Contradicted, PolicyBreach, PolicyGap
from privet.verbs import Done, Options, Request, Verb
from privet.verbs._request_execution import carried_out, explained, rows_for


class Look(Verb):
    """Looks at what it is given."""

    name = "look"
    output = "audit"
    endings = (".json",)

    def run(self, work: Any) -> Done:
        return Done(made=work)

    def explain(self, work: Any) -> Any:
        return work.ledger


@dataclass
class Said:
    holdout: float | None = None


@pytest.fixture
def stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project(tmp_path, RELEASE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bare(folder: Path, **more: Any) -> Request:
    (folder / "rows.csv").write_text("id,x\n" + "\n".join(f"{at},{at % 5}" for at in range(200)) + "\n")
    return Request(str(folder / "rows.csv"), Said(), **more)


def test_what_costs_nothing_opens_no_ledger(tmp_path: Path) -> None:
    done = carried_out(Look(), bare(tmp_path))
    assert done.ledger is None
    assert done.made.ledger is None
    assert set(done.made.table.columns) == {"id", "x"}
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]
    assert explained(Look(), bare(tmp_path)) is None


def test_a_holdout_is_kept_apart_by_people(tmp_path: Path) -> None:
    class Units(Look):
        def bare_table(self, data: Any, asked: Any) -> Any:
            import privet as pv

            return data.table(unit=pv.Row(), delimiter=asked.delimiter)

    asked = bare(tmp_path)
    stay, apart, _ = rows_for(Units(), DataSet.of(asked.data), Request(asked.data, Said(holdout=0.5)))
    sizes = [int(one.relation.table.count().execute()) for one in (stay, apart)]
    assert sum(sizes) == 200
    # 100 each expected with a deviation of 7; the hash is fixed.
    assert min(sizes) > 50
    assert rows_for(Units(), DataSet.of(asked.data), asked)[1] is None


def declared(folder: Path, **more: Any) -> tuple[DataSet, Request]:
    return DataSet.read(folder / "privet.yaml"), Request(str(folder / "stays.csv"), Said(), **more)


def test_a_purpose_that_does_not_allow_it_is_a_breach(stays: Path) -> None:
    data, asked = declared(stays, purpose="research")
    with pytest.raises(PolicyBreach, match="allows table, report, and this makes: audit"):
        rows_for(Look(), data, asked)
    data, asked = declared(stays, purpose="planning")
    table, _, columns = rows_for(Look(), data, asked)
    assert columns == ("ward", "days", "sex", "readmitted")
    assert "diagnosis" not in table.columns


def test_what_nobody_says_is_a_gap_before_anything_is_read(stays: Path) -> None:
    class Wanting(Look):
        def gaps(self, options: Any, declaration: Any, purpose: Any) -> list[tuple[str, str]]:
            return [("target", "nothing says how many there are")]

    data, asked = declared(stays, purpose="planning")
    with pytest.raises(PolicyGap, match="nothing says how many there are"):
        rows_for(Wanting(), data, asked)


@pytest.mark.parametrize(
    "said", [{"roles": {"ward": "quasi"}}, {"change_one": True}, {"unit": "patient_id"}, {"max_rows": 3}]
)
def test_what_the_declaration_says_is_not_said_again(said: dict[str, Any], stays: Path) -> None:
    data, asked = declared(stays, purpose="planning", **said)
    with pytest.raises(Contradicted):
        rows_for(Look(), data, asked)


def test_options_are_seen_by_the_verb(tmp_path: Path) -> None:
    seen = []

    class Refusing(Look):
        def refuse(self, table: Any, options: Any, columns: Any, folder: Path) -> None:
            seen.append((options, columns))
            raise PolicyGap("no.", "No.")

    with pytest.raises(PolicyGap):
        carried_out(Refusing(), bare(tmp_path))
    assert seen == [(Said(), None)]
    assert isinstance(SimpleNamespace(), SimpleNamespace)
    assert Options().hint


def test_a_ledger_made_for_one_thing_alone_is_said_so() -> None:
    from privet.verbs import Done, opened_alone

    (said,) = opened_alone(Done(ledger="x.ledger", opened=pv.ApproxDP(1, 1e-6)))
    assert "x.ledger" in said
    assert "epsilon 1, delta 1e-06" in said
    assert "--budget" in said
    assert opened_alone(Done(ledger="x.ledger")) == []
