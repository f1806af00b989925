import torch

tokens = 14
words = 20
width = 6


class Model(torch.nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = torch.nn.Embedding(words, width)

    def forward(self, index):
        return self.table(index) * 0.5


def get_inputs():
    return [torch.randint(0, words, (tokens,))]


def get_init_inputs():
    return [words, width]
