"""Measurements: results are printed, not asserted."""
