"""Networks in files: kept exactly, and refused in one line where anything is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof import DataError, PlayproofError, UsageError, make
from playproof.nets import shipped
from playproof.nets.files import load, save
from playproof.nets.mlp import Architecture, parts_of, starting_weights
from tests.support.nets.made_nets import random_net

pytest.importorskip("safetensors")
import safetensors.numpy as safetensors
from safetensors import safe_open


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.safetensors"
    net = random_net(hidden=(8,))
    save(replace(net, metadata={"trained by": "hand", "steps": 3}), path)
    return path


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("hidden", [(64, 64, 64), (5,), ()])
def test_a_net_comes_back_as_it_was(tmp_path: Path, hidden: tuple[int, ...], value: bool) -> None:
    net = random_net(hidden=hidden, value=value)
    net = replace(net, metadata={"trained by": "Übung", "rates": [1e-4, None]})
    path = tmp_path / "deep" / "net.safetensors"
    save(net, path)
    back = load(path, make("choko"))
    assert np.array_equal(back.weights, net.weights)
    assert back.weights.dtype == np.float32
    for name in ("architecture", "game", "observation", "metadata", "facts"):
        assert getattr(back, name) == getattr(net, name)
    assert [file.name for file in path.parent.iterdir()] == ["net.safetensors"]


def test_half_the_room_for_three_digits(tmp_path: Path) -> None:
    net = random_net(scale=1.0)
    save(net, tmp_path / "half.safetensors", half=True)
    save(net, tmp_path / "full.safetensors")
    back = load(tmp_path / "half.safetensors")
    assert back.weights.dtype == np.float32
    assert not np.array_equal(back.weights, net.weights)
    np.testing.assert_allclose(back.weights, net.weights, rtol=1e-3, atol=1e-6)
    half, full = ((tmp_path / f"{n}.safetensors").stat().st_size for n in ("half", "full"))
    assert half < 0.51 * full
    large = net.weights.copy()
    large[5] = 1e5
    with pytest.raises(DataError, match="too large for 16 bits: save it without half"):
        save(replace(net, weights=large), tmp_path / "half.safetensors", half=True)
    assert np.array_equal(load(tmp_path / "half.safetensors").weights, back.weights)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_net_has_finite_weights(wrong: float) -> None:
    net = random_net(hidden=(8,))
    weights = net.weights.copy()
    weights[[3, 7]] = wrong
    with pytest.raises(DataError, match=r"^2 of 23,8\d\d weights are no finite numbers$"):
        replace(net, weights=weights)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"game": "chokko"}, "the net's game cannot be made: there is no game 'chokko'"),
        ({"game": "choko:cap=x"}, "the net's game cannot be made: choko: cap=x is not"),
        (
            {"observation": "paper-27"},
            "no observation 'paper-27': want paper-25, paper-26, planes or position",
        ),
        (
            {"observation": "paper-25"},
            "26 inputs and 2625 actions, but paper-25 of choko has 25 and",
        ),
        ({"game": "othello", "observation": "planes"}, "planes of othello has 192 and"),
        ({"weights": np.zeros(7, np.float32)}, "cannot have weights of shape (7,)"),
    ],
)
def test_a_net_fits_its_game(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError) as error:
        replace(random_net(hidden=(8,)), **changes)
    assert says in str(error.value)


def test_a_net_of_another_game_is_refused(file: Path) -> None:
    assert load(file, make("choko", cap=100)).game == "choko"
    # When a game is called off does not change how it is played.
    assert load(file, make("choko:cap=0")).game == "choko"
    for other in ("choko:lone_jump", "choko:lone_jump,cap=60", "othello"):
        with pytest.raises(DataError) as error:
            load(file, make(other))
        assert f"some.safetensors: the net is of choko, not of {make(other).spec}" in str(
            error.value
        )


# Files that are damaged or something else


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, str]], Any]) -> None:
    """The file with its tensors and its header changed."""
    with safe_open(path, framework="numpy") as opened:
        header = dict(opened.metadata())
    parts = safetensors.load_file(path)
    change(parts, header)
    path.write_bytes(safetensors.save(parts, metadata=header))


def architecture(**changes: Any) -> Callable[[dict[str, Any], dict[str, str]], None]:
    def change(parts: dict[str, Any], header: dict[str, str]) -> None:
        header["architecture"] = json.dumps(json.loads(header["architecture"]) | changes)

    return change


def tensor(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[..., None]:
    return lambda parts, header: parts.update({name: change(parts[name])})


def without(key: str) -> Callable[..., str]:
    return lambda parts, header: header.pop(key)


def with_(key: str, value: str) -> Callable[..., None]:
    return lambda parts, header: header.update({key: value})


def not_a_number(values: np.ndarray) -> np.ndarray:
    changed = values.copy()
    changed.flat[0] = np.nan
    return changed


CHANGES = {
    "no game": (without("game"), "does not say its game"),
    "no observation": (without("observation"), "does not say its observation"),
    "no architecture": (without("architecture"), "does not say its architecture"),
    "no facts": (without("facts"), "does not say its facts"),
    "no format": (without("format"), "is no net of Playproof"),
    "other format": (with_("format", "pt"), "is no net of Playproof"),
    "later version": (with_("version", "3"), "has version 3 of the format: this Playproof reads"),
    "no family": (with_("version", "2"), "does not say its family: the header of version 2 wants"),
    "a family in version 1": (
        with_("family", '["choko"]'), "says its family, but has version 1: want version 2"),
    "facts are a list": (with_("facts", "[]"), "its facts are no JSON object"),
    "facts are no JSON": (with_("facts", "{"), "its facts are no JSON object"),
    "architecture is no JSON": (with_("architecture", "64"), "its architecture is not one such as"),
    "negative layer": (architecture(hidden=[-8]), "its architecture is not one such as"),
    "layer in words": (architecture(hidden=["8"]), "its architecture is not one such as"),
    "value is a number": (architecture(value=1), "its architecture is not one such as"),
    "huge layer": (architecture(hidden=[10**15]), "has shape (8, 26) instead of (1000000"),
    "another layer": (architecture(hidden=[8, 8]), "the tensor hidden.1.weight of shape (8, 8) is"),
    "no layer": (architecture(hidden=[]), "has shape (2625, 8) instead of (2625, 26)"),
    "no value": (architecture(value=False), "has no place in the architecture"),
    "other shape": (tensor("hidden.0.bias", lambda b: b[1:]), "shape (7,) instead of (8,)"),
    "transposed": (
        tensor("hidden.0.weight", lambda w: w.T.copy()), "(26, 8) instead of (8, 26)"),
    "whole numbers": (
        tensor("value.bias", lambda b: b.astype(np.int32)), "int32: want float32 or float16"),
    "doubles": (tensor("value.bias", lambda b: b.astype(np.float64)), "want float32 or float16"),
    "a NaN": (tensor("actions.weight", not_a_number), "1 of 23,850 weights are no finite numbers"),
    "unknown game": (with_("game", "chess:x=1"), "the net's game cannot be made"),
    "other game": (with_("game", "othello"), "othello has no observation 'paper-26': want planes"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_file_that_is_wrong_is_told_in_one_line(file: Path, what: str) -> None:
    change, says = CHANGES[what]
    rewritten(file, change)
    refused(file, says)


def refused(file: Path, says: str) -> None:
    with pytest.raises(DataError) as error:
        load(file)
    assert says in str(error.value)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_was_not_changed_is_good(file: Path) -> None:
    before = load(file)
    rewritten(file, lambda parts, header: None)
    assert np.array_equal(load(file).weights, before.weights)


@pytest.mark.parametrize("left", [0, 1, 7, 8, 100, 900, -1, -1000])
def test_a_truncated_file_is_refused(file: Path, left: int) -> None:
    file.write_bytes(file.read_bytes()[:left])
    refused(file, "is no whole safetensors file")


def test_what_is_no_safetensors_file_is_refused(file: Path, tmp_path: Path) -> None:
    for content in (b"PK\x03\x04" + b"0" * 100, b"\xff" * 100, b"weights\n" * 20):
        file.write_bytes(content)
        refused(file, "is no whole safetensors file")
    refused(tmp_path, "cannot be read: Is a directory")
    refused(tmp_path / "nowhere.safetensors", "cannot be read: No such file or directory")


def test_numbers_that_numpy_does_not_have_are_refused(file: Path) -> None:
    """Half as wide as float32, as PyTorch writes them: bfloat16."""
    head = {"x": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}
    text = json.dumps(head).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + b"\0\0")
    refused(file, "is no whole safetensors file of float32 or float16: ")


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        save(random_net(hidden=(2,)), tmp_path / "taken" / "net.safetensors")


def test_without_safetensors_it_is_one_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    for use in (lambda: load(file), lambda: save(random_net(hidden=(2,)), file)):
        with pytest.raises(PlayproofError, match=r"pip install 'playproof\[learn\]'$"):
            use()


# Those that come with the package


@pytest.fixture
def shop(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped networks with one in it."""
    monkeypatch.setattr(shipped, "FOLDER", file.parent)
    file.with_suffix(".md").write_text("\n# Some net for tests\n\nMore about it.\n")
    return file.parent


def test_a_shipped_net_is_found_by_name(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped.names() == ["some"]
    weights = load(shop / "some.safetensors").weights
    for name in ("some", str(shop / "some.safetensors")):
        assert np.array_equal(shipped.find(name, make("choko")).weights, weights)
    assert "More about it" in shipped.card("some")
    with pytest.raises(UsageError, match=r"no net 'sume'; did you mean some\? \(shipped: some; or"):
        shipped.find("sume")
    with pytest.raises(DataError, match=r"cannot be read: No such file"):
        shipped.find("other.safetensors")
    with pytest.raises(DataError, match="the card of other cannot be read"):
        shipped.card("other")
    # A file of the same name is found as such if it is written as one.
    monkeypatch.chdir(shop)
    save(random_net(hidden=(3,)), shop / "folder" / "some")
    monkeypatch.chdir(shop / "folder")
    assert shipped.find("./some").architecture.hidden == (3,)
    assert shipped.find("some").architecture.hidden == (8,)


def test_every_shipped_net_loads_and_has_a_card() -> None:
    small = ["choko-dql", "choko-ppo-plus", "choko-ppo-v1", "choko-ppo-v2", "choko-ppo-v3"]
    assert {*small, "chess-10x128"} <= set(shipped.names())
    for name in shipped.names():
        net, card = shipped.find(name), shipped.card(name)
        assert f"{net.architecture.parameters:,} parameters" in card
        assert card.startswith(f"# {name}: ")
        assert shipped.strength(name)
        assert f"playproof train {name if name in small else ''}" in card
        most = 1_000_000 if name in small else 7_000_000
        assert (shipped.FOLDER / f"{name}.safetensors").stat().st_size < most
        assert net.win == (2.0 if name in small else 1.0)
    assert "TCEC" in shipped.card("chess-10x128")


def test_the_paper_networks_have_the_papers_parameters() -> None:
    assert Architecture(26, (64, 64, 64), 2625).parameters == 180_738
    assert Architecture(25, (64, 64), 2625).parameters == 176_514
    assert Architecture(25, (64, 64, 64), 2625, value=False).parameters == 180_609


def test_parts_are_views_that_make_up_the_vector() -> None:
    sizes = Architecture(3, (5,), 4)
    vector = starting_weights(sizes, 1)
    parts = parts_of(sizes, vector)
    assert sum(part.size for part in parts.values()) == len(vector)
    parts["value.bias"][:] = 9.0
    assert vector[-1] == 9.0


def test_files_are_read_without_pytorch(file: Path) -> None:
    script = (
        "import sys\nfrom playproof.nets import shipped\n"
        f"print(shipped.find({str(file)!r}).game, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "choko False\n", done.stderr
