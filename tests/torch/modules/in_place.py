import torch

n = 70


def get_inputs():
    return [torch.randn(n), torch.randn(n)]


def forward(state, update):
    state.mul_(0.5).add_(update)
    return state * 2
