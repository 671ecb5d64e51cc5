"""Models that are trained under differential privacy: tables by a fixed recipe, networks by clipped, noised gradients."""
