# SPDX-License-Identifier: Apache-2.0
"""The reference of a task as a process: one JSON line per question and answer.

A question has a folder, the values of a size and one raw file per buffer that has values; the answer
is files of float64 numbers, or of the buffer's own type where the check compares copies. With "own" the
module computes in its own types. With "gpu" in
task.json all of it is computed there. Files are mapped: nothing is copied that need not be.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch  # noqa: E402

import ww_modes  # noqa: E402  before the others: they ask where modules compute

with open(os.path.join(sys.argv[1], "task.json")) as _file:
    SETTINGS = json.load(_file)
ww_modes.Place.gpu = bool(SETTINGS.get("gpu"))

import ww_errors  # noqa: E402
from ww_call import Call  # noqa: E402
from ww_modes import seeded  # noqa: E402
from ww_source import Refusal, Source  # noqa: E402

TYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16,
         "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8, "i8": torch.int8,
         "u32": torch.int32}


PIECE = 1 << 25  # elements that go to or from the GPU at once


def staged(count, dtype):
    """Memory that the GPU reads and writes at full speed."""
    return torch.empty(min(PIECE, count), dtype=dtype, device="cpu", pin_memory=True)


def to_gpu(tensor):
    wide = torch.float64 if tensor.is_floating_point() else tensor.dtype
    whole = torch.empty(tensor.numel(), dtype=wide, device="cuda")
    stage = staged(tensor.numel(), tensor.dtype)
    for first in range(0, tensor.numel(), PIECE):
        part = tensor[first:first + PIECE]
        stage[:part.numel()].copy_(part)
        whole[first:first + PIECE].copy_(stage[:part.numel()].to("cuda"))
        torch.cuda.synchronize()  # the stage is used again
    return whole


def from_gpu(tensor, mapped):
    stage = staged(tensor.numel(), tensor.dtype)
    for first in range(0, tensor.numel(), PIECE):
        part = tensor[first:first + PIECE]
        stage[:part.numel()].copy_(part)
        mapped[first:first + PIECE].copy_(stage[:part.numel()])


def read_tensor(folder, argument, double):
    path = os.path.join(folder, argument["file"])
    dtype = TYPES[argument["type"]]
    count = os.path.getsize(path) // torch.empty(0, dtype=dtype).element_size()
    if count == 0:
        return torch.empty(0, dtype=torch.float64 if dtype.is_floating_point else dtype,
                           device="cuda" if ww_modes.Place.gpu else "cpu")
    tensor = torch.from_file(path, shared=False, size=count, dtype=dtype)
    if ww_modes.Place.gpu:
        return to_gpu(tensor)
    return tensor.double() if double and tensor.is_floating_point() else tensor


def write_tensor(folder, argument, tensor):
    tensor = tensor.detach().contiguous()
    if argument["wide"]:
        tensor = tensor.double()
    else:
        tensor = tensor.to(TYPES[argument["type"]])
    count = argument["count"]
    if tensor.numel() != count:
        raise Refusal(f"{argument['name']} has {tensor.numel()} elements at this size, task.toml "
                      f"says {count}")
    path = os.path.join(folder, argument["file"])
    with open(path, "wb"):
        pass
    if tensor.numel() == 0:
        return
    mapped = torch.from_file(path, shared=True, size=count, dtype=tensor.dtype)
    if tensor.is_cuda:
        from_gpu(tensor.reshape(-1), mapped)
    else:
        mapped.copy_(tensor.reshape(-1))


def shaped(leaf, tensor):
    if tensor.numel() != leaf.numel():
        raise Refusal(f"an input has {tensor.numel()} elements, the module takes {leaf.numel()}")
    tensor = tensor.reshape(leaf.shape)
    return tensor.bool() if leaf.dtype == torch.bool else tensor


def prepared(source, task, values, double):
    """fake inputs are enough where only their shapes matter."""
    try:
        return Call(source, values, double, task["mode"], fake_inputs=True, replaced_soon=True)
    except Refusal:
        raise
    except Exception:
        return Call(source, values, double, task["mode"])


def answer(source, task, question):
    folder = question["folder"]
    double = not question.get("own")
    call = prepared(source, task, question["values"], double)
    given = {a["slot"]: read_tensor(folder, a, double) for a in question["inputs"]}
    leaves = {}
    for path, leaf in call.inputs():
        slot = f"input {path}"
        if slot in given:
            leaves[path] = shaped(leaf, given[slot]) if isinstance(leaf, torch.Tensor) else leaf
        elif isinstance(leaf, torch.Tensor):
            raise Refusal(f"task.toml has no argument for {slot} of the module")
    call.set_inputs(leaves)
    for slot, tensor in given.items():
        kind, _, name = slot.partition(" ")
        if kind in ("parameter", "buffer"):
            call.put(name, tensor)
    seeded(question.get("seed", 0))
    if task["backward"]:
        ends = {s.partition(" ")[2]: t for s, t in given.items() if s.startswith("grad_output")}
        made = call.gradients(ends)
    else:
        with torch.no_grad():
            made = {f"output {p}".strip(): t for p, t in call.forward()}
            made.update({f"changed {p}": t for p, t in call.inputs()
                         if isinstance(t, torch.Tensor)})
    for argument in question["outputs"]:
        tensor = made.get(argument["slot"])
        if tensor is None and argument["slot"] in made:
            tensor = torch.zeros(argument["count"])
        if tensor is None:
            raise Refusal(f"the module has no {argument['slot']} (of {argument['name']})")
        write_tensor(folder, argument, tensor)


def warm_up(some):
    """Libraries that take a second to load are there before anybody waits for an answer."""
    try:
        some @ some
        torch.nn.functional.conv2d(some, some)
        torch.cuda.synchronize()
    except Exception:
        pass  # the call that needs them will tell


def gpu_is_missing():
    """Why nothing can be computed on a GPU here, or None."""
    if not ww_modes.Place.gpu:
        return None
    try:
        if not hasattr(torch.device("cuda"), "__enter__"):
            return "this version of torch has no default device"
        some = torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.float64)
        some.sum().item()
        warm_up(some)
        return None
    except Exception as error:
        return f"torch finds no GPU: {type(error).__name__}: {error}"


def main():
    folder, task = sys.argv[1], SETTINGS
    torch.set_num_threads(max(1, task.get("threads", 1)))
    missing = gpu_is_missing()
    with open(os.path.join(folder, "reference.py")) as file:
        text = file.read()
    source = None
    questions = open(os.path.join(folder, "questions"), "r")
    answers = open(os.path.join(folder, "answers"), "w")
    sys.stdout.flush()
    for line in questions:
        reply = {"ok": True}
        try:
            if missing is not None:
                raise Refusal(missing)
            if source is None:
                source = Source(text, "reference.py")
            answer(source, task, json.loads(line))
        except BaseException as error:  # the module may raise anything
            reply = {"error": ww_errors.said(error, "reference.py")}
        if ww_modes.Place.gpu and missing is None:
            try:
                torch.cuda.empty_cache()  # candidates need the memory
            except Exception:
                pass
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
