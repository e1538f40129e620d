"""The options of the solvers: their names and ranges, and portfolios as text.

Kissat lists its options itself.  python-sat passes options to CaDiCaL without a word about
those that it does not have, so their ranges are here; options that would change what is
printed or the form of the proof are left out.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from playproof.core.errors import UsageError
from playproof.proofs.sat.solvers import available, choose_solver, kissat_binary

Options = Mapping[str, int]

_WORDS = {"true": 1, "false": 0}
_NUMBER = re.compile(r"-?\d{1,10}")
_LISTED = re.compile(r"(\w+) (-?\d+) (-?\d+) (-?\d+)")  # name, least, default, most
# Of CaDiCaL 1.9.5, by least and most value.
_CADICAL_RANGES = {
    (-1, 2_000_000): "elimboundmax elimboundmin",
    (0, 1): (
        "arena arenacompact arenasort block bump bumpreason chronoalways chronoreusetrail compact "
        "condition cover decompose deduplicate eagersubsume elim elimands elimbackward elimequivs "
        "elimites elimlimited elimsubst elimxors flush forcephase ilb inprocessing instantiate "
        "instantiateonce lucky minimize otfs phase probe probehbr reduce rephase restart "
        "restartreusetrail reverse score shrinkreap shuffle shufflequeue shufflerandom "
        "shufflescores stabilize stabilizeonly subsume subsumelimited subsumestr ternary transred "
        "vivify vivifyinst walk walknonstable walkredundant"
    ),
    (0, 2): "chrono target vivifyonce",
    (0, 3): "shrink",
    (0, 100): "restartmargin",
    (0, 1000): "compactlim minimizedepth vivifyredeff",
    (0, 10_000): "elimprod elimsum ternarymaxadd",
    (0, 10_000_000): "walkmineff",
    (0, 2_000_000_000): (
        "chronolevelim conditionmaxeff conditionmineff covermaxeff covermineff elimaxeff "
        "elimineff elimocclim probemaxeff probemineff radixsortlim reluctant reluctantmax seed "
        "subsumebinlim subsumeclslim subsumemaxeff subsumemineff subsumeocclim ternarymaxeff "
        "transredmaxeff transredmineff vivifymaxeff vivifymineff walkmaxeff"
    ),
    (1, 3): "arenatype bumpreasondepth",
    (1, 16): "decomposerounds proberounds ternaryrounds",
    (1, 512): "elimrounds",
    (1, 1000): "eagersubsumelim flushfactor",
    (1, 100_000): (
        "conditionreleff coverreleff elimreleff probereleff subsumereleff ternaryreleff "
        "transredreleff vivifyreleff walkreleff"
    ),
    (1, 2_000_000_000): (
        "blockmaxclslim blockocclim compactint compactmin conditionint conditionmaxrat "
        "covermaxclslim elimint emagluefast emaglueslow emajump emalevel emasize ematrailfast "
        "ematrailslow flushint instantiateocclim probeint reducetier1glue reducetier2glue "
        "rephaseint restartint stabilizeint stabilizemaxint subsumeint ternarymineff "
        "ternaryocclim"
    ),
    (2, 27): "elimxorlim",
    (2, 2_000_000_000): "blockminclslim coverminclslim elimclslim instantiateclslim",
    (10, 100): "reducetarget",
    (10, 1_000_000): "reduceint",
    (101, 2_000_000_000): "stabilizefactor",
    (500, 1000): "scorefactor",
}

# Settings that differ: target phases find models, focused mode finds refutations.
_DEFAULTS = ("kissat", "cadical", "kissat:target=2", "kissat:stable=0", "cadical:stabilize=0")


@functools.cache
def ranges(solver: str) -> Mapping[str, tuple[int, int]]:
    """The options of an installed solver, each with its least and most value."""
    if solver == "cadical":
        return {name: limits for limits, names in _CADICAL_RANGES.items() for name in names.split()}
    run = subprocess.run([str(kissat_binary()), "--range"], capture_output=True, text=True)
    listed = (_LISTED.fullmatch(line) for line in run.stdout.splitlines())
    return {match[1]: (int(match[2]), int(match[4])) for match in listed if match}


def read_options(solver: str, values: Mapping[str, object]) -> dict[str, int]:
    """The values of a solver's options as numbers; a UsageError for one that it does not have."""
    known = ranges(solver)
    options = {}
    for name, value in values.items():
        if name not in known:
            near = get_close_matches(name, known, n=3) or ["seed", "target"]
            raise UsageError(
                f"{solver} has no option {name[:40]!r}: want {', '.join(near)} or another of "
                f"its {len(known)} options"
            )
        least, most = known[name]
        number = _whole(value)
        if number is None or not least <= number <= most:
            text = str(value)[:40]
            raise UsageError(f"{solver}: {name}={text} is no whole number from {least} to {most}")
        options[name] = number
    return options


def _whole(value: object) -> int | None:
    if isinstance(value, int):  # true and false are numbers too
        return int(value)
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    return _WORDS.get(text, int(text) if _NUMBER.fullmatch(text) else None)


def split_options(texts: Iterable[str]) -> dict[str, str]:
    """The pairs NAME=VALUE by name."""
    options: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise UsageError(f"{text[:40]!r} sets no option: want NAME=VALUE, such as seed=7")
        if name in options:
            raise UsageError(f"the option {name[:40]} is set twice: once is enough")
        options[name] = value
    return options


def split_portfolio(text: str) -> list[str]:
    """The settings in ``kissat,cadical,kissat:target=2,seed=3``.

    A comma ends a setting unless an option of the same solver follows: the last one here is
    ``kissat:target=2,seed=3``.
    """
    settings: list[str] = []
    for part in text.split(","):
        if "=" in part and ":" not in part and settings and ":" in settings[-1]:
            settings[-1] += f",{part}"
        else:
            settings.append(part.strip())
    return settings


def default_portfolio(number: int) -> list[str]:
    """``number`` settings of the installed solvers: other strategies first, then other seeds."""
    main, installed = choose_solver(None), available()
    settings = [setting for setting in _DEFAULTS if setting.partition(":")[0] in installed]
    settings += [f"{main}:seed={seed}" for seed in range(1, number)]
    return settings[:number]
