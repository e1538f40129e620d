"""Networks that cover a family of games: what is in it, in files, and at play."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof import DataError, UsageError, make
from playproof.agents.registry import identity, make_agent
from playproof.cli.main import main
from playproof.nets import resnet, shipped
from playproof.nets.files import Net, load, save
from playproof.nets.game_families import FamilyMember, GameFamily
from tests.support.cli.running import Answer
from tests.support.nets.made_nets import random_net

pytest.importorskip("safetensors")
from safetensors import safe_open

GAME = "quantum-go:board=5x5"
TEXT = "quantum-go:board=5x5,komi=*,variant=standard|weak|semi-black"
COVERED = (GAME, f"{GAME},komi=2.5", f"{GAME},komi=-3,variant=weak", f"{GAME},variant=semi-black")
OTHERS = {
    f"{GAME},variant=symmetric": ": want variant=standard|weak|semi-black",
    f"{GAME},variant=weak,collapse=born": ": want collapse=owner",
    "quantum-go:board=7x7": ": want board=5x5",
    "quantum-go:handicap=2": ": want board=5x5,handicap=0",
    "go:board=5x5": "",
}


def family_net(*members: str, game: str = GAME) -> Net:
    sizes = resnet.architecture_for(make(game), "planes", 1, 8)
    weights = resnet.starting_weights(sizes, 4)
    return Net(sizes, weights, game, "planes", family=GameFamily.of(members or [TEXT]))


# What is in a family


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("go", ["go"], ["go:komi=1", "go:board=9x9", "othello"]),
        ("go:komi=*", ["go", "go:komi=7.5"], ["go:komi=7.5,board=9x9"]),
        ("go:board=5x5|7x7", ["go:board=5x5", "go:board=7x7"], ["go", "go:board=6x6"]),
        ("go:komi=-7.5..7.5", ["go", "go:komi=-7.5", "go:komi=7.5"], ["go:komi=8", "go:komi=-8"]),
        ("go:handicap=2..4", ["go:handicap=2", "go:handicap=4"], ["go", "go:handicap=5"]),
        ("go:suicide=true|false", ["go", "go:suicide"], ["go:ko=simple"]),
        ("choko", ["choko", "choko:cap=7"], ["choko:lone_jump"]),  # when it is called off
        ("choko:cap=50..100", ["choko"], ["choko:cap=7"]),
    ],
)
def test_a_member_says_what_its_options_may_be(
    text: str, inside: list[str], outside: list[str]
) -> None:
    family = GameFamily.of([text])
    assert [game for game in inside if not family.covers(make(game))] == []
    assert [game for game in outside if family.covers(make(game))] == []
    assert FamilyMember.parse(str(family)) == FamilyMember.parse(text)
    assert family.texts() == [text]


def test_a_family_may_have_games_of_several_names() -> None:
    family = GameFamily.of(["go:board=5x5,komi=*", "quantum-go:board=5x5,komi=*"])
    assert family.covers(make("go:board=5x5,komi=3"))
    assert family.covers(make("quantum-go:board=5x5,komi=3"))
    assert not family.covers(make("go:board=7x7"))
    assert str(family) == "go:board=5x5,komi=* or quantum-go:board=5x5,komi=*"


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ([], "a family has no member: want one such as go:board=5x5,komi=*"),
        (["goo"], "there is no game 'goo'; did you mean go?"),
        (["go:komy=*"], "go has no option 'komy'; it has: board"),
        (["go:komi=a|b"], "go: komi=a is not a number from"),
        (["go:komi=7..-7"], "go: komi=7..-7: want the smaller end first"),
        (["go:ko=any"], "go: ko=any is not superko or simple"),
        (["go:komi=1,komi=2"], "sets komi twice"),
    ],
)
def test_what_is_no_family_is_told_in_a_line(texts: list[str], says: str) -> None:
    with pytest.raises(UsageError) as error:
        GameFamily.of(texts)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


# Files


def header_of(path: Path) -> dict[str, str]:
    with safe_open(path, framework="numpy") as file:
        return dict(file.metadata())


def test_a_family_is_kept_in_its_file(tmp_path: Path) -> None:
    net, path = family_net(), tmp_path / "net.safetensors"
    save(net, path, half=True)
    back = load(path, make(COVERED[2]))
    assert back.family == net.family
    assert (back.game, str(back.coverage)) == (GAME, TEXT)
    header = header_of(path)
    # Whoever reads version 1 alone compares this before all else, and says so in a line.
    assert header["version"] == "2"
    assert json.loads(header["family"]) == [TEXT]


def test_a_net_of_one_game_is_written_as_it_always_was(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save(random_net(hidden=(8,)), path)
    header = header_of(path)
    assert set(header) == {
        "format", "version", "game", "observation", "architecture", "win", "facts",
    }  # fmt: skip
    assert header["version"] == "1"
    assert load(path).family is None


@pytest.mark.parametrize(
    ("family", "says"),
    [
        ("{", "its family is not one such as"),
        ('"go"', "its family is not one such as"),
        ("[]", "its family is not one such as"),
        ("[3]", "its family is not one such as"),
        ('["goo"]', "the net's family cannot be read: there is no game 'goo'"),
        ('["go:komi=*"]', f"the net is of go:komi=*, not of {GAME}"),
    ],
)
def test_a_family_that_is_wrong_is_told_in_one_line(tmp_path: Path, family: str, says: str) -> None:
    import safetensors.numpy

    path = tmp_path / "net.safetensors"
    save(family_net(), path)
    header = header_of(path) | {"family": family}
    parts = safetensors.numpy.load_file(path)
    path.write_bytes(safetensors.numpy.save(parts, metadata=header))
    with pytest.raises(DataError) as error:
        load(path)
    assert says in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


# At play


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "family.safetensors"
    save(family_net(), path)
    return path


@pytest.mark.parametrize("spec", ["net:{}", "mcts:net={},simulations=8", "pgts:net={},widths=3/2"])
@pytest.mark.parametrize("game", COVERED)
def test_a_family_net_plays_every_game_of_it(file: Path, spec: str, game: str) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: residual nets cannot play")
    state = make(game).start()
    agent = make_agent(spec.format(file), state.game, seed=1)
    for ply in range(6):
        action = agent.decide(state, seed=ply).action
        assert action in state.legal_actions()
        state = state.apply(action)


@pytest.mark.parametrize("spec", ["net:{}", "mcts:net={}", "pgts:net={}"])
@pytest.mark.parametrize("game", OTHERS)
def test_other_games_are_refused_in_one_line(file: Path, spec: str, game: str) -> None:
    with pytest.raises(DataError) as error:
        make_agent(spec.format(file), make(game))
    message = f"{file}: the net is of {TEXT}, not of {make(game).spec}{OTHERS[game]}"
    assert str(error.value) == f"{spec.partition(':')[0]}: {message}"


def test_a_net_says_itself_what_it_covers(file: Path) -> None:
    net = shipped.find(str(file))
    assert all(net.covers(make(game)) for game in COVERED)
    assert not any(net.covers(make(game)) for game in OTHERS)


def test_sizes_must_fit_the_game_at_hand(tmp_path: Path) -> None:
    boards = family_net("quantum-go:board=5x5|7x7")
    assert boards.covers(make(GAME))
    with pytest.raises(DataError) as error:
        boards.check(make("quantum-go:board=7x7"))
    assert str(error.value) == (
        "the net has 450 inputs and 26 actions, but planes of quantum-go:board=7x7 has 882 and 50"
    )
    # As many inputs, and one action fewer.
    other = family_net("quantum-go:board=5x5", "othello")
    with pytest.raises(DataError, match="the net has 450 inputs and 26 actions, but planes of oth"):
        other.check(make("othello"))


def test_who_plays_is_the_weights_whatever_else_they_cover(file: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.safetensors"
    save(replace(load(file), family=None), alone)
    game = make(GAME)
    assert identity(f"net:{file}", game) == identity(f"net:{alone}", game)
    assert identity(f"net:{file}", make(COVERED[2])) == identity(f"net:{file}", game)
    with pytest.raises(DataError, match="not of go:board=5x5"):
        identity(f"net:{file}", make("go:board=5x5"))


def test_training_begins_with_a_net_of_the_family(file: Path) -> None:
    from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings

    def begin(game: str) -> Any:
        settings = AlphaZeroSettings(game=game, blocks=1, filters=8, start=str(file))
        return settings.starting_weights()

    assert np.array_equal(begin(COVERED[2]), load(file).weights)
    with pytest.raises(DataError, match="want variant=standard"):
        begin(f"{GAME},variant=symmetric")


def test_the_command_lists_the_family(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> Answer:
        code = main(arguments)
        message = capsys.readouterr()
        return Answer(code, message.out, message.err)

    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    (tmp_path / "many.safetensors").write_bytes(file.read_bytes())
    (tmp_path / "many.md").write_text("# many: One for all\n\nStrength: none\n")
    (entry,) = run("nets", "--json").json()["nets"]
    assert (entry["game"], entry["family"]) == (GAME, [TEXT])
    shown = run("nets").out
    assert "quantum-go:board=5x5,komi=*" in shown.replace("\n", "")
    assert f"playproof play {GAME} --second net:many" in shown
