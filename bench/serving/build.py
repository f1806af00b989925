# SPDX-License-Identifier: Apache-2.0
"""Builds a program of this folder with given kernels: each file's `solve` under a name of its own."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "bench" / "serving"


def kernel_of(task, given):
    """The given file, else the task's kernel in kernels/, else its baseline."""
    if given:
        return pathlib.Path(given).resolve()
    proven = [ROOT / "kernels" / (task + ".cu"), ROOT / "kernels" / "free" / (task + ".cu")]
    found = [path for path in proven if path.exists()]
    return found[0] if found else ROOT / "tasks" / task / "baseline.cu"


def call(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(" ".join(str(word) for word in command) + "\n" + done.stdout[-4000:])


def library_folder(options):
    """Where the toolkit of this nvcc keeps its libraries."""
    words = subprocess.run([options.nvcc, "--dryrun", "-x", "cu", "/dev/null"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    top = [line[len("#$ TOP="):] for line in words.splitlines() if line.startswith("#$ TOP=")]
    if not top:
        raise SystemExit("%s --dryrun names no TOP" % options.nvcc)
    return pathlib.Path(top[0]).resolve() / "lib64"


def build(options, program, kernels, flags=(), name=None, libraries=()):
    """`kernels`: the file of each name that stands for `solve`. `libraries`: of the toolkit. Returns the executable."""
    folder = pathlib.Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    name = name or program
    common = [options.nvcc, "-std=c++17", "-O3", "-w", "-arch=" + options.arch, "--default-stream", "per-thread", "--expt-relaxed-constexpr"]
    objects = []
    for own, path in kernels.items():
        print("%s: %s is %s" % (name, own, path.relative_to(ROOT) if path.is_relative_to(ROOT) else path), flush=True)
        objects.append(folder / ("%s_%s.o" % (name, own)))
        call(common + ["-Dsolve=" + own, "-I", path.parent, "-x", "cu", "-c", path, "-o", objects[-1]])
        # Kernels of different files may have the same names.
        call([options.objcopy, "--keep-global-symbol=" + own, objects[-1]])
    target = folder / name
    if libraries:
        libraries = ["-l" + library for library in libraries] + ["-Xlinker=-rpath=" + str(library_folder(options))]
    call(common + list(flags) + ["-Xlinker=--wrap=cudaMalloc", "-Xlinker=--wrap=cudaFree", HERE / (program + ".cu"), HERE / "arena.cu"] + objects
         + list(libraries) + ["-o", target])
    return target


def arguments(parser):
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--objcopy", default="objcopy")
    parser.add_argument("--arch", default="native")
    parser.add_argument("--folder", default=str(ROOT / "build" / "serving"), help="where the programs are built")
    parser.add_argument("--build-only", action="store_true")


def run(command, results, name):
    """What the program prints, and a copy in the folder of results. True: exit code 0."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="", flush=True)
    if results:
        pathlib.Path(results).mkdir(parents=True, exist_ok=True)
        (pathlib.Path(results) / (name + ".txt")).write_text(done.stdout)
    return done.returncode == 0
