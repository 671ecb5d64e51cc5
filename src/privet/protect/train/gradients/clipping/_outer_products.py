"""Per-example gradients that are sums of outer products, and their norms without writing them out.

The gradient of a matrix of weights is, for each example, L'R with L of shape (T, rows) and R of shape (T, columns):
output gradients and inputs of a dense layer over T positions, or of a convolution over T patches. Its squared norm
is the sum of the entries of (LL') * (RR') (Goodfellow 2015; Li et al., ICLR 2022, "ghost" norms), which is cheaper than
the gradient itself where T is small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

# Rounding of ghost norms, and of sums that are taken anew, is relative to the sum of the absolute terms, which exceeds the norm where terms cancel.
# That sum's share is added, so that cancellation can only clip more, never less.
CANCELLATION = 2.0**-22
# Per-example gradients that are written out all at once may take so many numbers; larger ones go in pieces.
LARGEST = 2**24
# Gradients that are written out may take so many times the memory of what they are made of, which is then given back. With more,
# writing and reading them takes longer than norms by products: a step of a transformer a seventh longer at twice the memory.
_ROOM = 1.25


@dataclass(slots=True)
class OuterProduct:
    """Gradients L'R of one weight, for each of B examples: `left` is (B, T, rows), `right` is (B, T, columns).

    Where the columns are those of patches of images, `channels` are next to each other, and the weight has them farther apart.
    """

    left: Tensor
    right: Tensor
    channels: int = 1
    whole: Tensor | None = (
        None  # the per-example gradients, (B, rows * columns), once they were worth writing out
    )

    def squared_norms(self) -> Tensor:
        """The squared norm of each example's gradient."""
        examples, positions, rows = self.left.shape
        columns = self.right.shape[2]
        if positions == 1:
            return squared_norm(self.left) * squared_norm(self.right)
        size, given = rows * columns, positions * (rows + columns)
        if examples * size <= LARGEST and size <= _ROOM * given:
            # Left and right are then no longer needed: the sum is one product with what was written out.
            self.whole = _written_out(self.left, self.right)
            self.left = self.right = self.left.new_empty((0, 0, rows))
            return squared_norm(self.whole)
        if given < size:
            return _ghost(self.left, self.right)
        some = max(1, LARGEST // size)
        pieces = zip(torch.split(self.left, some), torch.split(self.right, some), strict=True)
        # Summed a second time for the batch, in another order: there, terms that cancel leave their rounding behind.
        return torch.cat([_twice_summed(left, right) for left, right in pieces])

    def per_example(self) -> Tensor:
        """The gradients themselves, (B, rows * columns)."""
        return self._ordered(self.whole if self.whole is not None else _written_out(self.left, self.right))

    def without(self, factors: Tensor) -> OuterProduct:
        """The same with zeros for examples of factor 0."""
        if self.whole is not None:
            return replace(self, whole=zero_where_left_out(self.whole, factors))
        left, right = (zero_where_left_out(values, factors) for values in (self.left, self.right))
        return replace(self, left=left, right=right)

    def scaled_sum(self, factors: Tensor) -> Tensor:
        """The sum over the examples of factor times gradient, flat."""
        if self.whole is not None:
            return self._ordered(factors @ self.whole)
        left, right, scale = self.left, self.right, factors.view(-1, 1, 1)
        # The factor goes onto the smaller of the two, which is copied for it.
        if left.shape[2] <= right.shape[2]:
            left = left * scale
        else:
            right = right * scale
        return self._ordered((left.flatten(0, 1).T @ right.flatten(0, 1)).flatten())

    def _ordered(self, values: Tensor) -> Tensor:
        """Gradients or a sum of them in the order of the weight: (…, rows, channels, places of a patch), flat behind the first."""
        if self.channels == 1:
            return values
        per_row = values.reshape(*values.shape[:-1], self.left.shape[2], -1, self.channels)
        return per_row.transpose(-1, -2).flatten(-3)


@dataclass(slots=True)
class EmbeddingRows:
    """Gradients of an embedding: example b adds `grads[b, t]` to row `ids[b, t]`."""

    ids: Tensor
    grads: Tensor
    skipped: int | None  # the padding row, which gets no gradient

    def __post_init__(self) -> None:
        if self.skipped is not None:
            self.grads = self.grads * (self.ids != self.skipped).unsqueeze(-1)

    def squared_norms(self) -> Tensor:
        """Rows that an example uses several times add up before they are squared."""
        same = self.ids.unsqueeze(2) == self.ids.unsqueeze(1)
        products = self.grads @ self.grads.transpose(1, 2)
        size = torch.linalg.vector_norm(self.grads, dim=2).sum(1).square()
        return torch.add(products.mul(same).sum((1, 2)).clamp_min(0), size, alpha=CANCELLATION)

    def cross(self, pair: OuterProduct) -> Tensor:
        """The inner product with a dense layer's gradient on the same weight: what tying adds to the norm, halved."""
        weights = torch.gather(
            pair.left, 2, self.ids.unsqueeze(1).expand(-1, pair.left.shape[1], -1)
        )  # (B, T, S): the output gradient at position t for the token at position s
        return weights.mul(pair.right @ self.grads.transpose(1, 2)).sum((1, 2))

    def without(self, factors: Tensor) -> EmbeddingRows:
        """The same with zeros for examples of factor 0."""
        return EmbeddingRows(self.ids, zero_where_left_out(self.grads, factors), None)

    def scaled_sum(self, factors: Tensor, shape: torch.Size) -> Tensor:
        """The sum over the examples of factor times gradient."""
        total = self.grads.new_zeros(shape)
        scaled = self.grads * factors.view(-1, 1, 1)
        return total.index_add_(0, self.ids.flatten(), scaled.flatten(0, 1))


def squared_norm(values: Tensor) -> Tensor:
    """Of each example's values, without a copy of them."""
    norms: Tensor = torch.linalg.vector_norm(values.flatten(1), dim=1)
    return norms.square()


def zero_where_left_out(values: Tensor, factors: Tensor) -> Tensor:
    """The values with zeros for examples of factor 0, whose values may be infinite or not numbers."""
    if bool(factors.all()):
        return values
    kept = factors > 0
    # Not a product with zero: infinity times zero is not a number.
    return torch.where(kept.view(-1, *([1] * (values.dim() - 1))), values, torch.zeros_like(values))


def _ghost(left: Tensor, right: Tensor) -> Tensor:
    lefts, rights = left @ left.transpose(1, 2), right @ right.transpose(1, 2)
    sizes = (lefts.diagonal(dim1=1, dim2=2) * rights.diagonal(dim1=1, dim2=2)).sqrt().sum(1).square()
    return (lefts * rights).sum((1, 2)).clamp_min(0) + CANCELLATION * sizes


def _twice_summed(left: Tensor, right: Tensor) -> Tensor:
    sizes = (torch.linalg.vector_norm(left, dim=2) * torch.linalg.vector_norm(right, dim=2)).sum(1).square()
    return torch.add(squared_norm(_written_out(left, right)), sizes, alpha=CANCELLATION)


def _written_out(left: Tensor, right: Tensor) -> Tensor:
    return torch.bmm(left.transpose(1, 2), right).flatten(1)
