# SPDX-License-Identifier: Apache-2.0
"""Functions that newer versions of torch have, from their definitions, for older ones."""
import math

import torch
import torch.nn.functional as F

from ww_modes import Place


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False,
                                 scale=None, enable_gqa=False):
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    if enable_gqa:
        key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
        value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
    scores = query @ key.transpose(-2, -1) * factor
    if is_causal:
        allowed = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, float("-inf"))
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        else:
            scores = scores + attn_mask
    weights = torch.softmax(scores, dim=-1)
    if dropout_p > 0:
        weights = torch.dropout(weights, dropout_p, True)
    return weights @ value


def rms_norm(x, normalized_shape, weight=None, eps=None):
    dims = tuple(range(-len(tuple(normalized_shape)), 0))
    eps = torch.finfo(torch.float32).eps if eps is None else eps
    y = x * torch.rsqrt(x.pow(2).mean(dims, keepdim=True) + eps)
    return y if weight is None else y * weight


class RMSNorm(torch.nn.Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps = shape, eps
        self.elementwise_affine = elementwise_affine
        self.weight = torch.nn.Parameter(torch.ones(shape)) if elementwise_affine else None

    def forward(self, x):
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)



def settle_bfloat16():
    """Some builds for ARM have a oneDNN that takes products of bfloat16 and cannot compute them: torch's own do."""
    try:
        torch.ones(64, 64, dtype=torch.bfloat16) @ torch.ones(64, 64, dtype=torch.bfloat16)  # few numbers never go there
    except RuntimeError:
        if hasattr(torch._C, "_set_mkldnn_enabled"):
            torch._C._set_mkldnn_enabled(False)


settle_bfloat16()

if not Place.gpu:
    class Generator(torch.Generator):
        """Draws on the CPU where there is no GPU."""

        def __new__(cls, device="cpu"):
            return super().__new__(cls, "cpu")

    torch.Generator = Generator

for owner, name, value in ((F, "scaled_dot_product_attention", scaled_dot_product_attention),
                           (F, "rms_norm", rms_norm), (torch.nn, "RMSNorm", RMSNorm),
                           (torch, "rms_norm", rms_norm)):
    if not hasattr(owner, name):
        setattr(owner, name, value)
