"""``playproof nets``."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.cli.main import main
from playproof.nets import shipped
from playproof.nets.files import save
from tests.support.cli.running import Answer
from tests.support.nets.made_nets import random_net

pytest.importorskip("safetensors")


def test_playproof_nets_lists_what_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> Answer:
        code = main(arguments)
        told = capsys.readouterr()
        return Answer(code, told.out, told.err)

    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    assert run("nets").out == "no nets are shipped; net:PATH plays one of your own\n"
    save(random_net(), tmp_path / "first.safetensors")
    (tmp_path / "first.md").write_text("# first: The net of this test\n\nStrength: beats nobody\n")
    (tmp_path / "second.safetensors").write_bytes(b"nothing")
    answer = run("nets", "--json")
    assert answer.json() == {
        "nets": [
            {
                "name": "first",
                "game": "choko",
                "family": [],
                "observation": "paper-26",
                "parameters": 180738,
                "strength": "beats nobody",
                "summary": "The net of this test",
            }
        ]
    }
    assert "second.safetensors is no whole safetensors file" in answer.err
    shown = run("nets").out
    for word in ("first", "choko", "180,738", "beats nobody", "The net of this test"):
        assert word in shown
    assert run("nets", "first").out.startswith("# first: The net of this test")
    assert run("nets", "first", "--json").json()["card"].endswith("beats nobody\n")
    assert "there is no net 'third': want first" in run("nets", "third").err
    game = ("play", "choko", "--first", "net:first", "--second", "random")
    assert run(*game, "--seed", "1", "--quiet").code == 0
    told = run("play", "othello", "--first", "net:first", "--seed", "1")
    assert told.code == 3
    assert told.err.endswith("first.safetensors: the net is of choko, not of othello\n")
