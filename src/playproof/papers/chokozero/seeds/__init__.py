"""ChokoZero's agents trained several times each, with other random seeds.

The paper trained each net once.  One run cannot tell whether V3 is better than V1, or whether
this V3 had more luck than this V1.  Here all runs of one agent meet all runs of another, and
every interval treats the runs as the sample.

``runs`` finds trained nets in a folder, ``train`` trains them, ``tournament`` plays, ``results``
has the statistics, ``statements`` the verdicts and ``curves`` Figures 1 to 3 over the runs;
``recorded`` reads and writes the file that comes with the package.
"""

__all__ = [
    "agents",
    "curves",
    "recorded",
    "results",
    "runs",
    "statements",
    "tournament",
    "train",
]
