import torch


class Model(torch.nn.Module):
    def __init__(self, features, out_features):
        super().__init__()
        self.linear = torch.nn.Linear(features, out_features)

    def forward(self, x):
        return torch.relu(self.linear(x))


batch_size = 8
features = 36
out_features = 20


def get_inputs():
    return [torch.rand(batch_size, features)]


def get_init_inputs():
    return [features, out_features]
