"""Where things lie in the repository, for tests that read files beside the sources."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
SUPPORT = TESTS / "support"
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
SYZYGY = TESTS / "tables" / "syzygy"
FAKE_GTP = SUPPORT / "agents" / "fake_engine.py"
FAKE_UCI = SUPPORT / "agents" / "fake_uci.py"
EXAMPLE_1 = SUPPORT / "oracles" / "quantum_go_example1.txt"
