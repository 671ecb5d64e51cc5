"""Sums of clipped per-example gradients: several ways to the same numbers.

`closed` for a generalised-linear head, `bookkeeping` for models of known layers (one backward pass through the
activations), `vmapped` for anything `torch.func` can map over, `looped` for the rest, `opacus` on request. All
return the same `ClippedSum`; which one runs decides the time, never the privacy.
"""
