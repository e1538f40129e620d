"""Spec strings: what is written is read back, and every mistake is answered in one line."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import PlayproofError, UsageError, make
from playproof.core import spec
from playproof.core.spec import Option

names = st.from_regex(r"[a-z][a-z0-9_-]{0,12}", fullmatch=True)
# A comma ends a setting and blanks round a value are not part of it.
texts = st.text(st.characters(codec="utf-8", exclude_characters=","), max_size=20).map(str.strip)
values = st.one_of(
    st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts
)
all_settings = st.dictionaries(names, values, max_size=5)

HUGE = 10**400  # no float is as large


def short(value: object) -> str:
    """A test's name that fits on a line."""
    return str(value)[:12] if len(str(value)) < 400 else f"{len(str(value))} digits"


# Reading and writing


@settings(deadline=None)
@given(names, all_settings)
def test_what_is_written_is_read_back(name: str, chosen: dict[str, object]) -> None:
    read, words = spec.parse(spec.write(name, chosen))
    assert read == name
    # The words become values again by the declared options, whose type is their default's.
    kinds = {bool: False, int: 0, float: 0.0, str: ""}
    declared = [Option(key, kinds[type(value)], "") for key, value in chosen.items()]
    settled = spec.resolve_options(name, declared, words)
    assert settled == chosen
    assert [type(value) for value in settled.values()] == [type(v) for v in chosen.values()]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("othello", {}),
        ("  othello  ", {}),
        ("othello:size=6", {"size": "6"}),
        (" othello : size = 6 ", {"size": "6"}),
        ("othello:size=6,empties_to_winner", {"size": "6", "empties_to_winner": "true"}),
        ("othello:empties_to_winner,size=6", {"empties_to_winner": "true", "size": "6"}),
        ("othello:note=a:b=c", {"note": "a:b=c"}),  # only the first of each sign divides
        ("othello:note=", {"note": ""}),
    ],
)
def test_parts_of_a_spec_string(text: str, chosen: dict[str, str]) -> None:
    assert spec.parse(text) == ("othello", chosen)


def test_a_game_writes_only_what_is_not_at_its_default() -> None:
    assert make("othello:size=8").spec == "othello"
    assert make("choko", lone_jump=True, cap=50).spec == "choko:lone_jump=true,cap=50"
    assert make(make("choko", lone_jump=True, cap=50).spec) is make("choko:cap=50,lone_jump")


@settings(deadline=None)
@given(st.text())
def test_no_text_gives_more_than_a_game_or_a_usage_error(text: str) -> None:
    try:
        make(text)
    except UsageError as error:
        assert str(error)  # noqa: PT017 - a text may well be a game's name


# Mistakes


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "'' names nothing: write name or name:key=value,key=value"),
        ("  ", "'  ' names nothing: write name or name:key=value,key=value"),
        (":size=6", "':size=6' names nothing: write name or name:key=value,key=value"),
        ("othello:", "'othello:': write othello:key=value,key=value"),
        ("othello:size=6,", "'othello:size=6,': write othello:key=value,key=value"),
        ("othello:=6", "'othello:=6': write othello:key=value,key=value"),
        ("othello:size=6,size=6", "'othello:size=6,size=6' sets size twice: once is enough"),
        ("choko:cap=9,cap", "'choko:cap=9,cap' sets cap twice: once is enough"),
        (
            "othello:colour=red",
            "othello has no option 'colour'; it has: size or empties_to_winner",
        ),
        ("othello:size=5", "othello: size=5 is not 4, 6 or 8"),
        ("othello:size=big", "othello: size=big is not 4, 6 or 8"),
        ("othello:size", "othello: size=true is not 4, 6 or 8"),
        ("othello:size=", "othello: size= is not 4, 6 or 8"),
        ("othello:size=6.0", "othello: size=6.0 is not 4, 6 or 8"),
        ("choko:lone_jump=maybe", "choko: lone_jump=maybe is not true or false"),
        ("choko:lone_jump=", "choko: lone_jump= is not true or false"),
    ],
)
def test_a_wrong_spec_string_is_answered_in_one_line(text: str, line: str) -> None:
    with pytest.raises(UsageError) as error:
        make(text)
    assert str(error.value) == line


@pytest.mark.parametrize(
    "cap", ["-1", "1.5", "many", "nan", "inf", "2147483649", "9" * 400], ids=short
)
def test_a_cap_that_cannot_be_is_refused(cap: str) -> None:
    with pytest.raises(
        UsageError, match=f"^choko: cap={cap[:20]}.* is not a whole number from 0 to "
    ):
        make(f"choko:cap={cap}")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"size": 5}, "othello: size=5 is not 4, 6 or 8"),
        ({"size": 6.5}, "othello: size=6.5 is not 4, 6 or 8"),
        ({"size": True}, "othello: size=True is not 4, 6 or 8"),
        ({"size": None}, "othello: size=None is not 4, 6 or 8"),
        ({"size": math.inf}, "othello: size=inf is not 4, 6 or 8"),
        ({"size": math.nan}, "othello: size=nan is not 4, 6 or 8"),
        ({"size": [8]}, "othello: size=[8] is not 4, 6 or 8"),
        (
            {"empties_to_winner": 2},
            "othello: empties_to_winner=2 is not true or false",
        ),
        ({"sise": 8}, "othello has no option 'sise'; it has: size or empties_to_winner"),
    ],
)
def test_a_wrong_option_in_python_is_answered_in_one_line(
    options: dict[str, object], line: str
) -> None:
    with pytest.raises(UsageError) as error:
        make("othello", **options)
    assert str(error.value) == line


def test_an_option_is_set_in_one_place_only() -> None:
    with pytest.raises(UsageError, match=r"^othello: size is set twice: once is enough$"):
        make("othello:size=6", size=6)


def test_who_has_no_options_says_so() -> None:
    with pytest.raises(UsageError, match=r"^nim has no option 'heaps'; it has: none$"):
        spec.resolve_options("nim", (), {"heaps": 3})


def test_usage_errors_are_playproof_errors_of_exit_code_two() -> None:
    with pytest.raises(PlayproofError) as error:
        make("othello:size=5")
    assert error.value.exit_code == 2


# Options


@pytest.mark.parametrize("text", ["true", "yes", "on", "1", "True", " YES ", "On"])
def test_ways_to_say_yes(text: str) -> None:
    assert Option("flag", False, "").read(text, "a game") is True


@pytest.mark.parametrize("text", ["false", "no", "off", "0", "False", " NO ", "Off"])
def test_ways_to_say_no(text: str) -> None:
    assert Option("flag", True, "").read(text, "a game") is False


@pytest.mark.parametrize(
    ("option", "given", "value"),
    [
        (Option("plies", 3, ""), "12", 12),
        (Option("plies", 3, ""), " -2 ", -2),
        (Option("plies", 3, ""), 4.0, 4),
        (Option("komi", 0.5, ""), "7.5", 7.5),
        (Option("komi", 0.5, ""), 7, 7.0),
        (Option("net", "none", ""), "v3", "v3"),
        (Option("net", "none", ""), 3, "3"),
        (Option("share", 0.5, "", minimum=0, maximum=1), "0", 0.0),
        (Option("share", 0.5, "", minimum=0, maximum=1), "1", 1.0),
        (Option("side", "left", "", choices=("left", "right")), "right", "right"),
    ],
)
def test_a_value_takes_the_type_of_the_default(
    option: Option, given: object, value: object
) -> None:
    read = option.read(given, "a game")
    assert read == value
    assert type(read) is type(option.default)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (Option("flag", False, ""), "true or false"),
        (Option("plies", 3, ""), "a whole number"),
        (Option("komi", 0.5, ""), "a number"),
        (Option("net", "none", ""), "a text"),
        (Option("size", 8, "", choices=(4, 6, 8)), "4, 6 or 8"),
        (Option("side", "left", "", choices=("left",)), "left"),
        (Option("plies", 3, "", minimum=1), "a whole number of at least 1"),
        (Option("share", 0.5, "", minimum=0, maximum=1), "a number from 0 to 1"),
        (Option("share", 0.5, "", minimum=0.25), "a number of at least 0.25"),
        # A limit is shown in full: nobody types 2.14748e+09, and it is not the limit.
        (Option("cap", 9, "", minimum=0, maximum=2**31), "a whole number from 0 to 2147483648"),
        (Option("plies", 3, "", maximum=9), "a whole number of at most 9"),
    ],
)
def test_what_an_option_expects_is_said_in_words(option: Option, expected: str) -> None:
    assert option.expected == expected


@pytest.mark.parametrize("value", ["nan", "NaN", math.nan])
@pytest.mark.parametrize("limits", [{}, {"minimum": 0}, {"maximum": 1}])
def test_not_a_number_is_no_number(value: object, limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"^a game: komi=nan is not a number|komi=NaN is not"):
        Option("komi", 0.5, "", **limits).read(value, "a game")


@pytest.mark.parametrize("value", ["inf", "-inf", "1e999", math.inf, 2, -1, HUGE], ids=short)
def test_what_lies_beyond_the_limits_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match=r"is not a number from 0 to 1$"):
        Option("share", 0.5, "", minimum=0, maximum=1).read(value, "a game")


@pytest.mark.parametrize("value", [HUGE, -HUGE, "9" * 400, "9" * 5000], ids=short)
def test_a_number_too_large_for_a_machine_is_refused_like_any_other(value: object) -> None:
    with pytest.raises(UsageError, match=r"is not a whole number from 1 to 9$"):
        Option("plies", 3, "", minimum=1, maximum=9).read(value, "a game")


# Names that are not there


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("chess", "there is no game 'chess' (known: choko, go or othello)"),
        (
            "otello",
            "there is no game 'otello'; did you mean othello? (known: choko, go or othello)",
        ),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name: str, line: str) -> None:
    assert str(spec.unknown_name("game", name, ["othello", "choko", "go"])) == line
