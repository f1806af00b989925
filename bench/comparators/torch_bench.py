#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch_bench.py SUITE.json FOLDER [--tasks a,b] [--no-compile] [--limit SECONDS]

Times PyTorch on the suite's tasks: eager (TF32 off) and torch.compile. Sizes come from SUITE.json,
which `warpwright bench --prepare` writes; inputs have the same distributions; the clock works like
the judge's: several copies of the inputs in turns, L2 flushed before every sample, the call replayed
as a CUDA graph between two events where it can be captured, samples until the median's interval is
tight or time is up.

Writes FOLDER/comparators-torch.jsonl, a line per result as it is found: {comparator, task, size,
median_us, low_us, high_us, samples, note, apart}.
"""

import argparse
import itertools
import json
import math
import os
import sys
import time

import numpy
import torch
import torch.nn.functional as F

CELL_SECONDS = 0.3  # for one comparator at one size
LEAST_PLACES = 6  # with fewer their spread says nothing
STUDENT_95_OF_12 = 2.201  # eleven degrees of freedom
COMPILE_SECONDS = 12  # for compiling one task at all its sizes; then the rest is left out


def uniform(n, low, high, drift=None):
    x = torch.rand(n, device="cuda") * (high - low) + low
    if drift:
        x *= torch.linspace(drift[0], drift[1], n, device="cuda")
    return x


def normal(n, mean=0.0, sd=1.0):
    return torch.randn(n, device="cuda") * sd + mean


# Each maker returns (inputs, function of the inputs, apart, note). Functions are
# plain: what a PyTorch user would write.


def sigmoid(v):
    return (uniform(v["N"], -10, 10),), torch.sigmoid, "", ""


def relu(v):
    return (normal(v["N"]),), torch.relu, "", ""


def matmul(v):
    a, b = normal(v["M"] * v["K"]).view(v["M"], -1), normal(v["K"] * v["N"]).view(v["K"], -1)
    return (a, b), torch.matmul, "", ""


def maxpool3d(v):
    x = normal(v["N"] * v["C"] * v["D"] * v["H"] * v["W"]).view(v["N"], v["C"], v["D"], v["H"], v["W"])
    k, s, p, d = v["kernel_size"], v["stride"], v["padding"], v["dilation"]
    return (x,), lambda x: F.max_pool3d(x, k, s, p, d), "", "also writes 64-bit indices inside"


def layernorm(v):
    n, c = v["N"], v["C"]
    x = normal(n * c).view(n, c)
    x = x * (torch.rand(n, 1, device="cuda") * 2.5 + 0.5) + torch.rand(n, 1, device="cuda") * 4 - 2
    w, b, eps = uniform(c, 0.5, 1.5), uniform(c, -1, 1), v["eps"]
    return (x, w, b), lambda x, w, b: F.layer_norm(x, (c,), w, b, eps), "", ""


def conv2d(v):
    x = uniform(v["input_rows"] * v["input_cols"], -1, 1).view(1, 1, v["input_rows"], -1)
    k = uniform(v["kernel_rows"] * v["kernel_cols"], -1, 1).view(1, 1, v["kernel_rows"], -1)
    return (x, k), F.conv2d, "", ""


def mha(v):
    n, d, h = v["N"], v["d_model"], v["h"]
    q, k, w = (normal(n * d).view(n, d) for _ in range(3))

    def attend(q, k, w):
        split = lambda x: x.view(1, n, h, d // h).transpose(1, 2)
        out = F.scaled_dot_product_attention(split(q), split(k), split(w))
        return out.transpose(1, 2).reshape(n, d)

    return (q, k, w), attend, "", ""


def mse(v):
    n = v["N"]
    a, b = uniform(n, -10, 10, (0.5, 1.5)), uniform(n, -10, 10, (0.5, 1.5))
    return (a, b), F.mse_loss, "", ""


def transpose(v):
    x = normal(v["rows"] * v["cols"]).view(v["rows"], v["cols"])
    return (x,), lambda x: x.t().contiguous(), "", "reals instead of random bits"


def reverse(v):
    x = normal(v["N"])
    return (x,), lambda x: torch.flip(x, (0,)), "", "out of place: there is no flip in place"


def topk(v):
    k = v["k"]
    return (uniform(v["N"], -1e6, 1e6),), lambda x: torch.topk(x, k).values, "", "also makes indices"


def sort(v):
    n = v["N"]
    x = torch.randperm(n, device="cuda").float() * (2000.0 / n) - 1000
    note = "a yardstick: the task allows exchanges of neighbours only; also makes indices"
    return (x,), lambda x: torch.sort(x).values, "other algorithm", note


def copy(v):
    a = normal(v["N"] * v["N"]).view(v["N"], v["N"])
    return (a,), torch.clone, "", ""


def reduce(v):
    return (uniform(v["N"], 0, 1, (0.5, 1.5)),), torch.sum, "", ""


def dot(v):
    return (uniform(v["N"], 0.5, 1.5, (0.5, 1.5)), normal(v["N"], 0.25)), torch.dot, "", ""


def scan(v):
    return (normal(v["N"], 0.1),), lambda x: torch.cumsum(x, 0), "", ""


def cross_entropy(v):
    n, c = v["N"], v["C"]
    z = uniform(n * c, -10, 10, (0.5, 1.5)).view(n, c)
    labels = torch.randint(0, c, (n,), device="cuda")
    return (z, labels), F.cross_entropy, "", "64-bit labels: PyTorch takes no others"


def monte_carlo(v):
    y = torch.sin(2 * math.pi * torch.rand(v["n_samples"], device="cuda"))
    length = v["b"] - v["a"]
    return (y,), lambda y: length * y.mean(), "", ""


def histogram(v):
    n, bins = v["N"], v["num_bins"]
    x = torch.randint(0, bins, (n,), device="cuda", dtype=torch.int32)
    note = "bincount: waits for the GPU inside, 64-bit counts"
    return (x,), lambda x: torch.bincount(x, minlength=bins), "", note


def ols(v):
    n, p = v["n_samples"], v["n_features"]
    x = normal(n * p).view(n, p)
    y = x @ (torch.randn(p, device="cuda") * 2) + torch.randn(n, device="cuda")

    def solve(x, y):
        return torch.linalg.solve(x.t() @ x, x.t() @ y)

    return (x, y), solve, "", "normal equations"


MAKERS = {
    f.__name__: f
    for f in (
        sigmoid, relu, matmul, maxpool3d, layernorm, conv2d, mha, mse, transpose, reverse, topk, sort,
        copy, reduce, dot, scan, cross_entropy, monte_carlo, histogram, ols,
    )
}
# Where a compiler has nothing to fuse, or cannot look inside: eager alone.
NOT_COMPILED = {"matmul", "histogram", "ols", "topk", "sort"}
# They wait for the GPU inside, which no graph can hold.
NOT_CAPTURED = {"histogram", "ols"}


class Clock:
    def __init__(self):
        l2 = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 64 << 20)
        self.flush = torch.empty(max(2 * l2, 32 << 20), dtype=torch.int8, device="cuda")
        self.stream = torch.cuda.Stream()
        self.kept = []
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def capture(self, call):
        """The call as a graph, or None where it cannot be captured."""
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=self.stream):
                self.kept.append(call())  # its memory belongs to the graph
            return graph
        except Exception:  # noqa: BLE001  whatever it was: then without a graph
            torch.cuda.synchronize()
            return None

    def sample(self, call):
        with torch.cuda.stream(self.stream):
            self.flush.zero_()
            self.begin.record()
            call()
            self.end.record()
        self.end.synchronize()
        return self.begin.elapsed_time(self.end) * 1e3

    def time(self, function, inputs, capturable=True):
        """Calls take turns on copies of the inputs: no sample finds its addresses in a cache."""
        sets = copies_of(inputs)
        calls = [lambda own=own: function(*own) for own in sets]
        torch.cuda.synchronize()  # the inputs were made on another stream
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                calls[0]()
        torch.cuda.synchronize()
        graphs = []
        for call in calls if capturable else []:
            graph = self.capture(call)
            if graph is None:
                graphs = []
                break
            graphs.append(graph)
        direct = self.gather(in_turns(calls), len(calls), patient=not graphs)
        if not graphs:
            self.kept = []
            return *direct, False
        # A graph saves the gaps between launches, but copies in one may take another, slower way:
        # PyTorch is given the better of the two.
        captured = self.gather(in_turns([graph.replay for graph in graphs]), len(graphs))
        self.kept = []
        return *min(captured, direct), True

    def gather(self, once, places, patient=True):
        """(median, low, high, samples); only a few samples where it is long beyond doubt."""
        least = 3 * places if places >= LEAST_PLACES else 10
        first = self.sample(once)
        warm = 0.0 if first > 5e4 else 0.08
        start = time.monotonic()
        while time.monotonic() - start < warm:
            self.sample(once)
        samples, start = [], time.monotonic()
        while True:
            samples.append(self.sample(once))
            if len(samples) >= 300 or time.monotonic() - start > CELL_SECONDS:
                break
            if not patient and len(samples) >= 36 and numpy.median(samples) < 60:
                break  # launches from the host show here: the graph is the better one
            if len(samples) >= least and len(samples) % 6 == 0:
                kept = without_outliers(samples)
                low, high = interval(kept, 100)
                if (high - low) / 2 <= 0.005 * numpy.median(kept):
                    break
        return *time_of(samples, places), len(samples)


def copies_of(inputs):
    """The inputs at several places in memory, as many as the judge has for a size like this."""
    tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
    places = 12 if sum(x.nbytes for x in tensors) <= 32 << 20 else 3
    clone = lambda x: x.clone() if isinstance(x, torch.Tensor) else x
    return [inputs] + [tuple(clone(x) for x in inputs) for _ in range(places - 1)]


def in_turns(calls):
    turn = itertools.cycle(calls)
    return lambda: next(turn)()


def without_outliers(samples):
    """Drops slow samples far outside, at most a quarter, as the judge does."""
    values = numpy.asarray(samples)
    middle = numpy.median(values)
    spread = 1.4826 * numpy.median(numpy.abs(values - middle))
    kept = values[values <= middle + 6 * max(spread, 0.01 * middle)]
    return kept if 4 * len(kept) >= 3 * len(values) else values


def time_of(samples, places):
    """(time, low, high), as the judge makes them: the mean of the medians at the places, and an interval over
    places; with few of them the median of all."""
    if places < LEAST_PLACES or len(samples) < 2 * places:
        kept = without_outliers(samples)
        return float(numpy.median(kept)), *interval(kept, 1000)
    medians = [numpy.median(without_outliers(samples[place::places])) for place in range(places)]
    mean = float(numpy.mean(medians))
    reach = STUDENT_95_OF_12 * float(numpy.std(medians, ddof=1)) / places**0.5
    return mean, mean - reach, mean + reach


def interval(samples, resamples):
    """95 % percentile bootstrap of the median."""
    draw = numpy.random.default_rng(0x5EED)
    medians = numpy.sort(numpy.median(draw.choice(samples, (resamples, len(samples))), axis=1))
    return float(medians[int(0.025 * resamples)]), float(medians[int(0.975 * resamples)])


class Bench:
    def __init__(self, options, out):
        self.options, self.out, self.start = options, out, time.monotonic()
        self.clock = Clock()

    def left_s(self):
        return self.options.limit - (time.monotonic() - self.start)

    def write(self, name, task, size, result, apart, note):
        median, low, high, samples, graph = result
        if not graph:
            note = "; ".join(filter(None, (note, "not captured: host gaps inside")))
        line = {
            "comparator": name, "task": task, "size": size, "median_us": median, "low_us": low,
            "high_us": high, "samples": samples, "note": note, "apart": apart,
        }
        self.out.write(json.dumps(line) + "\n")
        self.out.flush()
        print(f"{task:14} {size:18} {name:14} {median:11.2f} us  n {samples}{'' if graph else '  (no graph)'}")
        sys.stdout.flush()

    def values(self, size):
        exact = lambda x: int(x) if float(x).is_integer() else x
        values = {name: exact(value) for name, value in size["values"].items()}
        return values

    def eager(self, task, size):
        inputs, function, apart, note = MAKERS[task](self.values(size))
        result = self.clock.time(function, inputs, capturable=task not in NOT_CAPTURED)
        self.write("torch.eager", task, size["label"], result, apart, note)
        if task == "matmul":
            torch.backends.cuda.matmul.allow_tf32 = True
            try:
                result = self.clock.time(function, inputs)
            finally:
                torch.backends.cuda.matmul.allow_tf32 = False
            self.write("torch.eager.tf32", task, size["label"], result, "tf32", "")

    def compiled(self, task, size):
        inputs, function, apart, note = MAKERS[task](self.values(size))
        torch._dynamo.reset()
        compiled = torch.compile(lambda *arguments: function(*arguments), dynamic=False)
        start = time.monotonic()
        compiled(*inputs)
        torch.cuda.synchronize()
        spent = time.monotonic() - start
        result = self.clock.time(compiled, inputs)
        self.write("torch.compile", task, size["label"], result, apart, note)
        return spent

    def guarded(self, what, task, size):
        """A comparator that fails is left out, with a line that says why."""
        try:
            return what(task, size) or 0.0
        except Exception as error:  # noqa: BLE001
            print(f"{task:14} {size['label']:18} {what.__name__} left out: {str(error).splitlines()[0][:160]}")
            torch.cuda.synchronize()
            return 0.0
        finally:
            torch.cuda.empty_cache()

    def run(self, suite):
        chosen = [t for t in suite["tasks"] if t["task"] in MAKERS]
        if self.options.tasks:
            chosen = [t for t in chosen if t["task"] in self.options.tasks.split(",")]
        for task in chosen:
            for size in task["sizes"]:
                if self.left_s() < 0:
                    print("time is up: the rest is left out")
                    return
                self.guarded(self.eager, task["task"], size)
        if self.options.no_compile:
            return
        # The largest size of every task first, then the smaller ones as far as time goes.
        queues = {t["task"]: list(reversed(t["sizes"])) for t in chosen if t["task"] not in NOT_COMPILED}
        spent = dict.fromkeys(queues, 0.0)
        while any(queues.values()):
            for name, sizes in queues.items():
                if not sizes:
                    continue
                if self.left_s() < 0:
                    print("time is up: the rest is left out")
                    return
                if spent[name] > COMPILE_SECONDS:
                    print(f"{name}: compiling took {spent[name]:.0f} s; its other sizes are left out")
                    sizes.clear()
                    continue
                spent[name] += self.guarded(self.compiled, name, sizes.pop(0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("folder")
    parser.add_argument("--tasks", default="")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--limit", type=float, default=140.0, help="seconds for everything")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(1)
    with open(options.suite, encoding="utf-8") as file:
        suite = json.load(file)
    path = os.path.join(options.folder, "comparators-torch.jsonl")
    with open(path, "w", encoding="utf-8") as out, torch.no_grad():
        bench = Bench(options, out)
        print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name(0)}")
        bench.run(suite)
        print(f"torch_bench: {time.monotonic() - bench.start:.0f} s")


if __name__ == "__main__":
    main()
