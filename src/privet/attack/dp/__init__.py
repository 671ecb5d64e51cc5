"""Auditing implementations of differential privacy: canaries, epsilons from below, structure, falsifiers."""
