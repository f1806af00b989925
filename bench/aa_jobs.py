# SPDX-License-Identifier: Apache-2.0
"""What bench/aa_compare, bench/planted_slowdown and bench/repeatability share.

All three make job directories from those of build/release/bench/make_jobs (JOBS/TASK.baseline),
run them on a GPU host through the worker, and read the result files.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import time

# (task, size) with the time in microseconds that an H200 took for it at first light.
PAIRS = [
    ("sigmoid", "16x2^10", 4.0), ("sigmoid", "16x2^18", 18.2),
    ("transpose", "1024^2", 11.2), ("transpose", "2048^2", 36.2),
    ("reduce", "2^14", 5.2), ("reduce", "2^18", 6.9),
    ("scan", "2^10", 4.8), ("scan", "2^18", 12.3),
    ("layernorm", "16x4x64x64", 32.6), ("layernorm", "16x4x128x128", 119.6),
    ("dot", "2^16", 5.6), ("dot", "2^20", 9.3),
]


def arguments(parser):
    parser.add_argument("worker", help="build/worker/warpwright")
    parser.add_argument("jobs", type=pathlib.Path, help="made by build/release/bench/make_jobs")
    parser.add_argument("results", type=pathlib.Path, help="folder for the .json and the .md")
    parser.add_argument("--seconds", type=float, default=100, help="start nothing new after that")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:N, or simt to try the script")


def make_job(options, folder, task, sizes, sources=None, **fields):
    """A job for `task`; sources = (candidate, rival) in place of the baseline alone."""
    shutil.copytree(options.jobs / f"{task}.baseline", folder)
    request = json.loads((folder / "request.json").read_text())
    request.update(id=folder.name, device=options.device, sizes=sizes, limit_s=120,
                   cache=str(folder.parent / "cache"), sanitize="off", **fields)
    if sources:
        (folder / "candidate.cu").write_text(sources[0])
        (folder / "rival.cu").write_text(sources[1])
        request["rival"] = {"is_baseline": True}
    (folder / "request.json").write_text(json.dumps(request))
    return folder


def baseline_source(options, task):
    return (options.jobs / f"{task}.baseline" / "candidate.cu").read_text()


class Budget:
    def __init__(self, seconds):
        self.start = time.monotonic()
        self.seconds = seconds

    def spent(self):
        return time.monotonic() - self.start

    def left(self):
        return self.seconds - self.spent()


def run(options, folders):
    """All through one worker: compiled in parallel, one warm runner on the GPU."""
    if folders:
        subprocess.run([options.worker, "worker", "--again", *map(str, folders)], check=False,
                       stdout=subprocess.DEVNULL)
    return [result_of(folder) for folder in folders]


def result_of(folder):
    try:
        return json.loads((folder / "result.json").read_text())
    except (OSError, ValueError) as error:
        return {"verdict": "none", "reason": str(error)}


def complain(results):
    """Prints what did not work; how many."""
    bad = [r for r in results if r["verdict"] != "ok"]
    for result in bad[:5]:
        print("  not ok:", result["verdict"], result.get("reason", ""), file=sys.stderr)
    return len(bad)


def environment(results):
    """The manifest of the first result that has one."""
    return next((r["manifest"] for r in results if r.get("manifest")), {})


def write(options, name, data, table):
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{name}.json").write_text(json.dumps(data, indent=1))
    (options.results / f"{name}.md").write_text(table)
    print(table)
