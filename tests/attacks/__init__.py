"""Attacks on our own product, one module per front: `make attack-cache` and its like run them long, the test suite short."""
