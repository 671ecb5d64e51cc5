"""Attacks on recorded updates of federated training: gradient inversion."""
