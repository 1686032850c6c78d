"""Attacks on our own product, one module per front: `make attack-cache` and its like run long, the tests short."""
