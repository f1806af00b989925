import torch

rows = 8
cols = 15


def get_inputs():
    return [torch.randn(rows, cols), torch.randint(0, 2, (rows, cols)).bool(), 0.25, None]


def forward(x, mask, factor, extra=None):
    y = torch.where(mask, x, x * factor)
    return y, y.argmax(dim=1)
