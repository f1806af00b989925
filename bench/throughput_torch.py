# SPDX-License-Identifier: Apache-2.0
"""throughput_torch.py JOBS N: N kernels of ours through PyTorch's load_inline, a comparison with
the expected value, and do_bench at the task's sizes. Prints one JSON line: seconds per kernel."""
import json
import pathlib
import sys
import time

import torch
from torch.utils.cpp_extension import load_inline

try:
    from triton.testing import do_bench
except ImportError:
    def do_bench(call):
        times = []
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        for _ in range(50):
            flush.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        return sorted(times)[len(times) // 2]

# Declaration, call and reference of each task; sizes are those of the suite.
TASKS = {
    "reduce": ("void solve(const float*, float*, int)", 1, [2**k for k in (10, 12, 14, 16, 18)],
               lambda xs: xs[0].double().sum().reshape(1)),
    "dot": ("void solve(const float*, const float*, float*, int)", 2, [2**k for k in (16, 17, 18, 19, 20)],
            lambda xs: (xs[0].double() * xs[1].double()).sum().reshape(1)),
    "mse": ("void solve(const float*, const float*, float*, int)", 2, [2**k for k in (10, 12, 14, 16, 18)],
            lambda xs: ((xs[0].double() - xs[1].double()) ** 2).mean().reshape(1)),
}


def wrapper(declaration, inputs):
    pointers = ", ".join(f"x{i}.data_ptr<float>()" for i in range(inputs))
    parameters = ", ".join(f"torch::Tensor x{i}" for i in range(inputs))
    return (f'extern "C" {declaration};\n'
            f"void run({parameters}, torch::Tensor out, int64_t n) "
            f"{{ solve({pointers}, out.data_ptr<float>(), static_cast<int>(n)); }}\n")


def evaluate(name, jobs, number):
    declaration, inputs, sizes, reference = TASKS[name]
    source = (jobs / f"{name}.baseline" / "candidate.cu").read_text() + f"\n// {time.time_ns()} {number}\n"
    start = time.monotonic()
    module = load_inline(name=f"candidate_{name}_{number}_{time.time_ns()}",
                         cpp_sources=wrapper(declaration, inputs), cuda_sources=source, functions=["run"])
    built = time.monotonic() - start
    for n in sizes:
        xs = [torch.randn(n, device="cuda") for _ in range(inputs)]
        out = torch.empty(1, device="cuda")
        module.run(*xs, out, n)
        torch.testing.assert_close(out.double(), reference(xs), rtol=1e-3, atol=1e-3)
        do_bench(lambda: module.run(*xs, out, n))
    torch.cuda.synchronize()
    return built, time.monotonic() - start


def main():
    jobs, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    names = list(TASKS)
    torch.zeros(1, device="cuda")
    rows = [(names[i % len(names)], *evaluate(names[i % len(names)], jobs, i)) for i in range(count)]
    print(json.dumps({"kernels": count, "mean_s": sum(r[2] for r in rows) / count,
                      "mean_build_s": sum(r[1] for r in rows) / count,
                      "rows": rows, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
