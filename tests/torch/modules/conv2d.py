import torch

batch_size = 2
channels = 3
filters = 4
height, width = 9, 10


class Model(torch.nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, filters, 3, padding=1)

    def forward(self, x):
        return torch.tanh(self.conv(x))


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels, filters]
