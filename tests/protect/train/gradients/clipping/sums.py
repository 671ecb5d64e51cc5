"""When two clipped sums are the same."""

import torch


def assert_same(found, wanted):
    torch.testing.assert_close(found.norms, wanted.norms, rtol=1e-5, atol=1e-7)
    scale = max(float(value.abs().max()) for value in wanted.sums.values())
    assert found.sums.keys() == wanted.sums.keys()
    for name, value in wanted.sums.items():
        assert float((found.sums[name] - value).abs().max()) <= 1e-5 * scale, name
    torch.testing.assert_close(found.losses, wanted.losses, rtol=1e-5, atol=1e-6)
