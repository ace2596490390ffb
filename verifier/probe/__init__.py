"""Probes: run the code of a claim in isolation and report what happened."""
