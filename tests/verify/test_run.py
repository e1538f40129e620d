"""The runner of the long checks keeps what is done, tries failures again, and writes a summary."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify import run
from tests.verify.checks import Check


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """A check of two pieces, the second of which fails the first time; returns what was run."""
    calls: list[str] = []

    def sound() -> str:
        calls.append("sound")
        return "3 positions agree"

    def faulty() -> str:
        calls.append("faulty")
        if calls.count("faulty") == 1:
            raise AssertionError("one position differs")
        return "mended"

    check = Check("agreement", lambda: {"sound": sound, "faulty": faulty})
    monkeypatch.setattr(run, "CHECKS", {"agreement": check})
    monkeypatch.setattr(run, "HOME", tmp_path)
    monkeypatch.setattr(run, "fingerprint", lambda: "sources")
    monkeypatch.setattr("sys.argv", ["run.py", "agreement"])
    return calls


def test_a_finished_piece_is_not_run_again(
    pieces: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main() == 1
    summary = (tmp_path / "summary.txt").read_text()
    assert summary.startswith("FAILED agreement: agreement")
    assert "sound: 3 positions agree (" in summary
    assert "faulty: FAILED: one position differs (" in summary
    assert run.main() == 0
    assert pieces == ["sound", "faulty", "faulty"]
    assert "1 passed, 0 failed" in capsys.readouterr().out


def test_changed_sources_start_anew(pieces: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    run.main()
    run.main()
    monkeypatch.setattr(run, "fingerprint", lambda: "other sources")
    assert run.main() == 0
    assert pieces == ["sound", "faulty", "faulty", "sound", "faulty"]
