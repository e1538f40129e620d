"""Write the section "Five seeds" of docs/papers/chokozero.md, and its picture, from the games that
come with the package::

    python tools/chokozero_seeds.py
    python tools/paper_pages.py

The games are recorded by ``playproof paper chokozero --only seeds --runs FOLDER --out
src/playproof/papers/data/chokozero_seeds.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from playproof.papers.chokozero.curves import title_of
from playproof.papers.chokozero.seeds import recorded, statements
from playproof.papers.chokozero.seeds.agents import SEEDS, TRAINED
from playproof.papers.chokozero.seeds.curves import chart, count_trends
from playproof.papers.chokozero.seeds.recorded import SeedRecord
from playproof.papers.chokozero.seeds.results import Comparison, SeedResults, SpreadCell
from playproof.papers.chokozero.seeds.statements import OrderResult

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "papers" / "chokozero.md"
PICTURE = DOCS / "pictures" / "chokozero-seeds.svg"
TITLE = "Five seeds"
_NONE = "\N{EN DASH}"
_BEFORE = "How we read the text"  # the section that follows
_MARK = {True: "holds", False: "**does not hold**", None: ""}


_SECTION = """## {title}

The order of the agents is a statement about how they are trained, and one run of each cannot decide
it: another seed gives another net. So each is to be trained five times, with seeds 1 to 5, V3 also
to the letter of the text (`choko-ppo-v3-literal`). {sample}

Every run of one agent plays every run of another, {games} games from {pairs} openings with sides
swapped; PGTS has the net of each V3 in turn, and meets only that V3. The intervals treat the runs
of both agents, and the openings, as samples (a crossed random-effects variance with Student's
quantiles, `arena/statistics/crossed.py`): in simulations with five runs of each they held the truth
in 96 to 98 % of the cases. Fewer runs give wider intervals, and a single run gives none. *Single
runs* are the lowest and the highest score of one run against another.

{statements}

{sentences}

Table 1 again, with the median run of each agent: percent of games that the *column* wins against
the *row*, [the lowest and the highest pair of runs], = draws, and the paper's figure in italics.

{table_1}

The runs, by their mean score against the other agents. Each agent counts the same, and of two runs
in the middle the weaker is the median. The Elo intervals are of the games alone: a run is given.

{runs}

In how many runs the statements of the paper's section 4.2 hold, by the evaluations during training:

{trends}

```console
$ playproof paper chokozero --only seeds --svg docs/pictures/chokozero-seeds.svg
drew docs/pictures/chokozero-seeds.svg
...
```

![The median and the range of the training curves over seeds](../pictures/chokozero-seeds.svg)

The games come with the package. These commands train the runs, one on each core, and make the data
and this section again. A killed command resumes, and more runs need only their own games:

```text
$ playproof paper chokozero --train RUNS --seeds 5
$ playproof paper chokozero --only seeds --runs RUNS --out src/playproof/papers/data/{file}
$ python tools/chokozero_seeds.py && python tools/paper_pages.py
```

"""


def section(record: SeedRecord) -> str:
    """The section, from its title to the empty line before the next one."""
    results = record.results
    checked = statements.check(results)
    trends = [[count.text, count.result] for count in count_trends(record.curves)]
    text = _SECTION.format(
        title=TITLE, sample=_sample(record), games=results.games, pairs=results.games // 2,
        statements=_table(
            ["statement", "paper", "score [95 % over seeds]", "single runs", ""],
            _statement_rows(checked),
        ),
        sentences="\n".join(map(_sentence, checked)),
        table_1=_table(["", *(agent.title for agent in results.agents)], _table_1(results)),
        runs=_table(["run", "mean score, %", "Elo [95 %]", ""], _run_rows(results)),
        trends=_table(["statement", "here"], trends), file=recorded.FILE,
    )  # fmt: skip
    return "".join(_filled(text))


def _sample(record: SeedRecord) -> str:
    """How many runs are in the figures."""
    seeds: dict[str, list[int]] = {agent.preset: [] for agent in TRAINED}
    for run in record.curves:
        seeds[run.preset].append(run.log.seed or 0)
    count, whole = len(record.curves), SEEDS * len(TRAINED)
    texts = [
        f"{title_of(preset)}: {', '.join(map(str, numbers)) or 'none'}"
        for preset, numbers in seeds.items()
    ]
    return (
        f"**{count} of these {whole} runs are in the figures below**, by their seeds: "
        f"{'; '.join(texts)}. Seed 1 of DQL, V1, V2 and V3 is the shipped net.{_missing(record)}"
    )


def _missing(record: SeedRecord) -> str:
    titles = statements.missing(statements.check(record.results))
    return (
        f" Nothing is said about {' and '.join(titles)}, of which no run is in." if titles else ""
    )


def _table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines).replace("|  |", "| |")


def _statement_rows(results: list[OrderResult]) -> list[list[str]]:
    rows = []
    for result in results:
        for one in result.comparisons:
            verdict = _MARK[one.holds] or one.verdict
            single = f"{100 * one.lowest:.1f} to {100 * one.highest:.1f}"
            if one.pairs_of_runs == 1:
                single = _NONE
            paper = statements.paper(one) or _NONE
            rows.append([statements.text_of(one), paper, _score(one), single, verdict])
    return rows


def _score(one: Comparison) -> str:
    mean = f"{100 * one.mean:.1f}"
    if one.interval is None:
        return mean
    return f"{mean} [{100 * one.interval[0]:.1f}, {100 * one.interval[1]:.1f}]"


def _sentence(result: OrderResult) -> str:
    """``**V1 < V2 < V3** is not decided: ...``"""
    verdict = {True: "holds", False: "does not hold", None: "is not decided"}[result.holds]
    comparisons = result.comparisons
    scores = [
        f"{one.one.title} scores {100 * one.mean:.1f} % against {'its own ' if one.paired else ''}"
        f"{one.two.title}"
        for one in comparisons
    ]
    if len({one.verdict for one in comparisons}) == 1:
        reasons = f"{', '.join(scores)} ({comparisons[0].verdict})"
    else:
        pairs = zip(scores, comparisons, strict=True)
        reasons = ", ".join(f"{score} ({one.verdict})" for score, one in pairs)
    return f"- **{result.statement.text}** {verdict}: {reasons}."


def _table_1(results: SeedResults) -> list[list[str]]:
    rows = []
    for row in results.agents:
        cells = [results.table.get((column.name, row.name)) for column in results.agents]
        rows.append([f"**{row.title}**", *(_cell(cell) for cell in cells)])
    return rows


def _cell(cell: SpreadCell | None) -> str:
    if cell is None:
        return _NONE
    text = f"{100 * cell.won:.0f}"
    if cell.pairs_of_runs > 1:
        text += f" [{100 * cell.lowest:.0f}, {100 * cell.highest:.0f}]"
    text += f" ={100 * cell.drawn:.0f}"
    return text if cell.paper is None else f"{text} *{100 * cell.paper:.0f}*"


def _run_rows(results: SeedResults) -> list[list[str]]:
    medians = set(results.medians.values())
    order = sorted(range(len(results.entries)), key=results.strength, reverse=True)
    return [
        [results.entries[i].title, f"{100 * results.strength(i):.1f}",
         str(results.ratings.players[i]),
         "median" if i in medians and results.entries[i].seed is not None else ""]
        for i in order
    ]  # fmt: skip


def _filled(text: str) -> Iterator[str]:
    """The text with its paragraphs and items filled to the width of the page."""
    for block in re.split(r"(```.*?```)", text, flags=re.DOTALL):
        if block.startswith("```"):
            yield block
            continue
        for part in re.split(r"(\n(?=- )|\n\n+)", block):
            plain = part.strip() and part[0] not in "|#!"
            yield fill(
                part, 120, subsequent_indent="  " if part.startswith("- ") else "",
                break_on_hyphens=False, break_long_words=False,
            ) if plain else part  # fmt: skip


def with_section(page: str, text: str) -> str:
    """The page with this section in place of the earlier one; at first before the next one."""
    earlier = re.compile(rf"^## {TITLE}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    if earlier.search(page):
        return earlier.sub(lambda _: text, page)
    if f"## {_BEFORE}\n" not in page:
        return f"{page}\n{text}".rstrip() + "\n"
    return page.replace(f"## {_BEFORE}\n", f"{text}## {_BEFORE}\n", 1)


if __name__ == "__main__":
    shipped = recorded.shipped()
    PAGE.write_text(with_section(PAGE.read_text("utf-8"), section(shipped)), encoding="utf-8")
    chart(shipped.curves).save(PICTURE)
