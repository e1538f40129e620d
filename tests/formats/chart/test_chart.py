"""Line charts: round ticks, pictures that are sound, and lines that can be told apart."""

from __future__ import annotations

import itertools
import math
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playproof import PlayproofError, UsageError
from playproof.formats.chart.chart import Chart, Panel, Series
from playproof.formats.chart.panel import COLOURS
from playproof.formats.chart.scale import (
    axis,
    finite_slices,
    logarithmic_axis,
    thin,
    tick_text,
    value_range,
)
from playproof.formats.svg.theme import PAPERS

SVG = "{http://www.w3.org/2000/svg}"
NAN = math.nan

ends = st.tuples(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9)).map(lambda t: (t[0], t[0] + t[1]))


# Axes


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (50_639, 1_832_147, ("50,000", "100,000", "200,000", "500,000", "1,000,000", "2,000,000")),
        (3.0, 3.0, ("2", "5")),
        (0.2, 0.5, ("0.2", "0.5")),
    ],
)
def test_a_logarithmic_axis_has_round_ends(low: float, high: float, texts: tuple[str, ...]) -> None:
    made = logarithmic_axis(low, high)
    assert made.texts == texts
    assert made.share([made.low, math.sqrt(made.low * made.high), made.high]).tolist() == [
        0.0, pytest.approx(0.5), 1.0,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="want positive numbers"):
        logarithmic_axis(0.0, 1.0)


@given(ends, st.booleans())
@example((161061273.75, 161061274.75), True)  # far from 0, as measured in its own steps
def test_ticks_are_round_and_lie_on_the_axis(limits: tuple[float, float], loose: bool) -> None:
    low, high = limits
    if not high > low * (1 + 1e-9) or high - low < 1e-9 * abs(high):
        return
    x_axis = axis(low, high, 5, loose=loose)
    assert 2 <= len(x_axis.ticks) <= 8
    slack = 1e-6 * (x_axis.high - x_axis.low)
    assert x_axis.low - slack <= x_axis.ticks[0]
    assert x_axis.ticks[-1] <= x_axis.high + slack
    if loose:
        assert x_axis.low <= low + slack
        assert high - slack <= x_axis.high
        assert x_axis.ticks[0] == pytest.approx(x_axis.low, abs=slack)
    else:
        assert (x_axis.low, x_axis.high) == (low, high)
    step = x_axis.ticks[1] - x_axis.ticks[0]
    lead = f"{step:.6e}"[:8]
    assert float(lead) == pytest.approx(round(float(lead)), abs=1e-4)
    assert round(float(lead)) in (1, 2, 5, 10)


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"),
        (0, 4000, "0 1,000 2,000 3,000 4,000"),
        (-0.03, 0.01, "-0.03 -0.02 -0.01 0.00 0.01"),
        (0.1, 0.35, "0.10 0.15 0.20 0.25 0.30 0.35"),
        (0, 4e-7, "0 1e-07 2e-07 3e-07 4e-07"),
        (0, 5e9, "0 1e+09 2e+09 3e+09 4e+09 5e+09"),
    ],
)
def test_ticks_have_the_decimals_that_they_need(low: float, high: float, texts: str) -> None:
    labels = " ".join(axis(low, high, 5).texts)
    assert labels.replace("\N{MINUS SIGN}", "-") == texts
    assert ("\N{MINUS SIGN}" in labels) == (low < 0)


def test_special_axes() -> None:
    assert axis(0, 1, 5, percent=True).texts == ("0 %", "20 %", "40 %", "60 %", "80 %", "100 %")
    assert axis(1, 3, 5, integers=True).texts == ("1", "2", "3")
    assert axis(7, 7, 5).low < 7 < axis(7, 7, 5).high  # one value alone has room around it
    assert axis(0, 0, 5).low < 0
    assert tick_text(-0.0001, 0.1) == "0.0"
    assert axis(0, 10, 5).share([-5, 0, 5, 10, 20]).tolist() == [0, 0, 0.5, 1, 1]


def test_what_a_chart_shows() -> None:
    assert value_range([np.array([0.1, 3.0])], []) == (0.0, 3.0)  # near zero: from zero
    assert value_range([np.array([2.5, 3.0])], []) == (2.5, 3.0)
    assert value_range([np.array([-1.0, 3.0])], []) == (-1.0, 3.0)
    assert value_range([np.array([2.5, 3.0])], [np.array([2.4, 3.2])]) == (2.4, 3.2)
    low, high = value_range([np.array([10.0, 11.0])], [np.array([-1e6, 1e6])])
    assert (low, high) == (9.0, 12.0)  # a wild interval does not press the line flat
    assert value_range([np.array([NAN, math.inf])], []) == (0.0, 1.0)
    assert value_range([], []) == (0.0, 1.0)


# Points


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=600), st.integers(1, 40))
def test_a_thinned_line_looks_the_same(values: list[float], columns: int) -> None:
    y = np.array(values)
    x = np.arange(len(y), dtype=np.float64)
    high = float(max(1, len(y) - 1))
    kept = thin(x, y, 0.0, high, columns)
    assert (np.diff(kept) > 0).all()
    assert len(kept) <= max(4 * columns, 0) or len(kept) == len(y)
    place = np.minimum((x / high * columns).astype(int), columns - 1)
    for column in range(columns):
        full, part = y[place == column], y[kept][place[kept] == column]
        if full.size:
            seen = [(a[0], a[-1], a.min(), a.max()) for a in (full, part)]
            assert seen[0] == seen[1]


def test_a_line_is_cut_where_there_is_no_number() -> None:
    x = np.arange(6.0)
    assert finite_slices(x, np.array([1, NAN, 2, 3, math.inf, 4])) == [
        slice(0, 1),
        slice(2, 4),
        slice(5, 6),
    ]
    assert finite_slices(x, np.full(6, NAN)) == []


# Pictures


def chart(*lines: Series, theme: str = "light", panels: int = 1, title: str = "A chart") -> Chart:
    parts = tuple(Panel(f"Panel {i}", lines, "iteration") for i in range(panels))
    return Chart(title, parts, "A note.", theme)


def elements(picture: Chart, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture.svg()).iter(f"{SVG}{name}"))


def numbers(element: ElementTree.Element) -> list[float]:
    return [float(n) for n in re.findall(r"-?[\d.]+", element.get("points", ""))]


LONG = Series(
    "long", range(2000), np.sin(np.arange(2000)), np.sin(np.arange(2000)) - 9, range(2000)
)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("panels", [0, 1, 2, 3, 4, 7])
def test_everything_lies_inside_the_picture(theme: str, panels: int) -> None:
    lines = (LONG, Series("short", [5, 10], [0.5, 1e9], style=1), Series("none", [], [], style=2))
    picture = chart(*lines, theme=theme, panels=panels)
    root = ElementTree.fromstring(picture.svg())
    wide, high = float(root.get("width", "")), float(root.get("height", ""))
    for element in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(element.get(name, 1)) <= wide
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.get(name, 1)) <= high
        places = numbers(element)
        assert all(0 <= x <= wide for x in places[::2])
        assert all(0 <= y <= high for y in places[1::2])
    assert picture.svg() == chart(*lines, theme=theme, panels=panels).svg()


def test_a_line_lies_where_its_numbers_are() -> None:
    picture = chart(Series("", [0, 5, 10], [0, 10, 5]))
    (line,) = elements(picture, "polyline")
    x0, y0, x1, y1, x2, y2 = numbers(line)
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.02)
    assert y1 < y2 < y0  # higher values are further up
    assert y0 - y2 == pytest.approx((y0 - y1) / 2, abs=0.02)


def test_gaps_and_lone_points() -> None:
    picture = chart(Series("", range(6), [1, 2, NAN, 3, NAN, 4]))
    assert len(elements(picture, "polyline")) == 1
    assert len(elements(picture, "circle")) == 4
    assert "nan" not in picture.svg().lower()


def test_points_have_dots_where_there_is_room() -> None:
    assert len(elements(chart(Series("", range(50), range(50))), "circle")) == 50
    assert not elements(chart(Series("", range(150), range(150))), "circle")


def test_an_interval_is_shaded_behind_the_lines() -> None:
    svg = chart(Series("", [1, 2], [3, 4], [2, 3], [4, 5])).svg()
    assert svg.index("<polygon") < svg.index("<polyline")
    assert "<polygon" not in chart(Series("", [1, 2], [3, 4])).svg()


def test_a_thousand_points_are_thinned_to_what_can_be_seen() -> None:
    (line,) = elements(chart(Series("", range(100_000), np.arange(100_000) % 7)), "polyline")
    assert len(numbers(line)) / 2 <= 4 * 640


def legend_of(picture: Chart) -> list[str]:
    return [e.text or "" for e in elements(picture, "text") if e.text in ("won", "lost", "two")]


def test_one_legend_serves_panels_with_the_same_lines() -> None:
    won, lost = Series("won", [1, 2], [1, 2]), Series("lost", [1, 2], [2, 1], style=1)
    two = Series("two", [1, 2], [2, 1], style=1)
    assert legend_of(chart(won, lost, panels=3)) == ["won", "lost"]
    some = Chart("", (Panel("a", (won, lost)), Panel("b", (lost,))))
    assert legend_of(some) == ["won", "lost"]
    apart = Chart(
        "", (Panel("a", (won, lost)), Panel("b", (Series("won", [1], [1], style=1), two)))
    )
    assert legend_of(apart) == ["won", "lost", "won", "two"]
    mixed = Chart("", (Panel("a", (won, lost)), Panel("b", (Series("", [1, 2], [1, 2]),))))
    assert legend_of(mixed) == ["won", "lost"]
    assert legend_of(chart(Series("", [1, 2], [1, 2]), panels=2)) == []


def test_names_cannot_break_the_picture() -> None:
    hostile = '</svg><script>alert("1")</script>&\x00'
    picture = chart(Series(hostile, [1, 2], [1, 2]), title=hostile)
    assert not elements(picture, "script")
    assert picture.svg().count("</svg>") == 1


def test_a_chart_can_be_heard() -> None:
    panel = Panel("Share", (Series("won", [1, 2, 3], [0.25, 1.0, NAN]), Series("lost", [], [])),
                 percent=True)  # fmt: skip
    root = ElementTree.fromstring(Chart("Training", (panel,)).svg())
    assert root.get("role") == "img"
    assert root.get("aria-label") == (
        "Training. Share: won from 25.0 % to 100.0 %, lowest 25.0 %, highest 100.0 %; "
        "lost without values"
    )
    assert root.findtext(f"{SVG}title") == "Training"
    assert [title.text for title in root.iter(f"{SVG}title")][1:] == ["won", "lost"]
    assert Chart("Training", (panel,))._repr_svg_() == Chart("Training", (panel,)).svg()


# Colours


def linear(colour: str) -> np.ndarray:
    """Red, green and blue as amounts of light, 0 to 1 (sRGB)."""
    c = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b*, in which distances are about as large as they look."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(light, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


# What is left of light for the colour-blind (Machado et al., 2009, severity 1).
VISIONS = {
    "full": np.eye(3),
    "protanopia": np.array([[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992],
                            [-0.0039, -0.0481, 1.0520]]),
    "deuteranopia": np.array([[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474],
                              [-0.0118, 0.0429, 0.9689]]),
    "tritanopia": np.array([[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476],
                            [0.0047, 0.6914, 0.3039]]),
}  # fmt: skip


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", COLOURS)
def test_colours_can_be_told_apart(theme: str, vision: str) -> None:
    seen = [lab(VISIONS[vision] @ linear(colour)) for colour in COLOURS[theme]]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 18


@pytest.mark.parametrize("theme", COLOURS)
def test_colours_stand_out_from_the_paper(theme: str) -> None:
    def luminance(colour: str) -> float:
        return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))

    for colour in COLOURS[theme]:
        low, high = sorted([luminance(colour), luminance(PAPERS[theme].card)])
        assert (high + 0.05) / (low + 0.05) >= 3.0  # WCAG 2.1, 1.4.11


def test_many_lines_differ_in_colour_or_dashes() -> None:
    lines = [Series("", [], [], style=style) for style in range(36)]
    assert len({(line.colour("light"), line.dash) for line in lines}) == 36
    assert len({line.dash for line in lines[:6]}) == 6


# Files


def test_files(tmp_path: Path) -> None:
    picture = chart(LONG)
    picture.save(tmp_path / "a" / "chart.svg")
    assert (tmp_path / "a" / "chart.svg").read_text() == picture.svg()
    with pytest.raises(UsageError, match=r"chart\.gif: want a name that ends with \.svg or \.png"):
        picture.save(tmp_path / "chart.gif")
    with pytest.raises(UsageError, match="no theme 'blue': want light or dark"):
        chart(LONG, theme="blue")


def test_png(tmp_path: Path) -> None:
    pytest.importorskip(
        "resvg_py", reason="*** resvg_py is not installed: PNG is NOT tested; pip install it ***"
    )
    picture = chart(LONG)
    picture.save(tmp_path / "chart.png")
    data = (tmp_path / "chart.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    root = ElementTree.fromstring(picture.svg())
    size = [int.from_bytes(data[i : i + 4], "big") for i in (16, 20)]
    assert size == [2 * float(root.get("width", "")), 2 * float(root.get("height", ""))]
    assert len(data) > 10_000  # something is drawn


def test_without_resvg_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(PlayproofError, match=r"pip install resvg_py, or write an \.svg"):
        chart(LONG).save(tmp_path / "chart.png")
    assert list(tmp_path.iterdir()) == []
