"""One file per claim; each prints ours, the peer's and the ratio."""
