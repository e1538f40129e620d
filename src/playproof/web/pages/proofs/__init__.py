"""The Proofs page: games to step through, proofs to run and watch, certificates to check.

``routes`` has the endpoints.  The other modules have what these return, and the handling of
uploaded certificates.
"""

__all__: list[str] = []
