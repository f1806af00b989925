# SPDX-License-Identifier: Apache-2.0
"""task.toml of a module."""
import math
import os
import re

from ww_points import RESERVED
from ww_trial import EPS

BYTES = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2, "i32": 4, "i64": 8, "u8": 1, "i8": 1}


TORCH = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i32": "int32",
         "i64": "int64", "u8": "uint8", "i8": "int8"}


def quoted(text):
    """A TOML string on one line."""
    table = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": ""}
    return '"' + "".join(table.get(c, c if c >= " " and c != "\x7f" else "") for c in text) + '"'


MOST_SUMS = 8  # that a task.toml names
MOST_FACTOR = 64.0  # of a tolerance, in units of rounding
LONGEST = 56  # of a name; a number may follow


class Names:
    """One name of C++ per slot."""

    def __init__(self, taken):
        self.taken = set(taken)

    def make(self, wanted):
        name = re.sub(r"\W", "_", wanted, flags=re.ASCII).strip("_")[:LONGEST].strip("_") or "t"
        if name[0].isdigit():
            name = "t" + name
        if name in RESERVED:
            name += "_"
        base, n = name, 2
        while name in self.taken:
            name, n = f"{base}_{n}", n + 1
        self.taken.add(name)
        return name


class Argument:
    def __init__(self, name, kind, role, slot, dims, draw=None, bool_=False, strided=False):
        self.name, self.type, self.role, self.slot = name, kind, role, slot
        self.dims, self.draw, self.is_bool, self.strided = dims, draw, bool_, strided

    def torch(self):
        """Slot, type and shape, as an exported operator has them."""
        kind = "bool" if self.is_bool else TORCH[self.type]
        return f"{self.slot}: {kind}[{', '.join(self.dims)}]"

    def count(self):
        dims = [d for d in self.dims if d != "1"]
        return "*".join(dims) if dims else "1"


def dims_of(task, kind, i):
    slot = getattr(task.small, kind)[i]
    return [task.shapes.of(lambda p: getattr(p, kind)[i].shape[d]) for d in range(len(slot.shape))]


def arguments_of(task):
    names = Names(list(task.shapes.names))
    found = []
    by_path = {}
    for i, slot in enumerate(task.small.inputs):
        path = slot.name[6:]
        head, _, rest = path.partition(".")
        wanted = task.small.input_names.get(head, f"input{head}") + (f"_{rest}" if rest else "")
        name = names.make(wanted)
        by_path[path] = name
        role = "inout" if slot.name in task.changed and not task.backward else "input"
        found.append(Argument(name, slot.type, role, slot.name, dims_of(task, "inputs", i),
                              task.draws[slot.name], str(slot.dtype) == "torch.bool",
                              not slot.contiguous))
    for kind in ("parameters", "tensors"):
        for i, slot in enumerate(getattr(task.small, kind)):
            if slot.name in task.dropped:
                continue
            short = slot.name.partition(" ")[2]
            name = names.make(short)
            by_path[short] = name
            found.append(Argument(name, slot.type, "input", slot.name, dims_of(task, kind, i),
                                  task.draws[slot.name], str(slot.dtype) == "torch.bool"))
    many = len(task.small.outputs) > 1
    outputs = []
    for i, slot in enumerate(task.small.outputs):
        path = slot.name[7:]
        wanted = f"out{path}" if many and path[:1].isdigit() else (f"out_{path}" if many else "out")
        outputs.append((path, wanted, slot, dims_of(task, "outputs", i)))
    if not task.backward:
        for path, wanted, slot, dims in outputs:
            found.append(Argument(names.make(wanted), slot.type, "output", slot.name, dims,
                                  bool_=str(slot.dtype) == "torch.bool"))
        return found, names
    for path, wanted, slot, dims in outputs:
        if path in task.small.differentiable:
            found.append(Argument(names.make("grad_" + wanted), slot.type, "input", "grad_" + slot.name,
                                  dims, task.draws["grad_" + slot.name]))
    for i, slot in enumerate(task.small.gradients):
        of = slot.name.partition(" ")[2]
        found.append(Argument(names.make("grad_" + by_path[of]), slot.type, "output", slot.name,
                              dims_of(task, "gradients", i)))
    return found, names


def scalars_of(task, names):
    """[(name, type, value or None)]: numbers among the inputs, then the values of a size."""
    found = []
    for path, value in task.small.scalars:
        head, _, rest = path.partition(".")
        name = names.make(task.small.input_names.get(head, f"input{head}") + (f"_{rest}" if rest else ""))
        kind = "f32" if isinstance(value, float) else "i32"
        if isinstance(value, float) and not math.isfinite(value):
            continue
        if isinstance(value, int) and not -2 ** 31 < value < 2 ** 31:
            continue
        found.append((name, kind, repr(float(value)) if kind == "f32" else str(int(value))))
    for name in task.shapes.names:
        if name != "given":
            found.append((name, "i32", None))
    return found


def tolerance(task, kind):
    """A text over `terms`: what arithmetic of this type may err by."""
    eps = EPS[kind]
    if kind in ("f16", "bf16"):
        return f"{4 * eps + 0:.3g}", "elementwise"
    measured = task.error / eps / math.sqrt(max(1.0, min(task.small.terms, 65536.0)))
    # What is off by more hangs on roundings: the judge holds it against the module in its own types. A wide
    # bound for all sizes would let products of short types pass where those are allowed.
    most = 16.0 if "mixed_precision" in task.options.get("rules", []) else MOST_FACTOR
    factor = min(max(16.0, 4 * measured), most) if kind == "f32" else 256.0
    return f"{factor * eps:.3g}*sqrt(terms)", "elementwise"


def check_text(task, kind):
    if kind in EPS:
        text, _ = tolerance(task, kind)
        # Where most results are 0 (ReLU of a difference), the others say how large the sums before were.
        return f'rule = "elementwise", rtol = {quoted(text)}, alpha_rms = {quoted(text)}, nonzero = "1"'
    return 'rule = "exact_int"'


def argument_line(task, argument, main):
    parts = [f"name = {quoted(argument.name)}", f'type = "{argument.type}"', f'role = "{argument.role}"',
             f"count = {quoted(argument.count())}"]
    if argument.draw is not None:
        parts.append(f"values = {quoted(argument.draw.text())}")
    if argument.role != "input" and argument.type != main:
        parts.append(f"check = {{ {check_text(task, argument.type)} }}")
    parts.append(f"torch = {quoted(argument.torch())}")
    return "  { " + ", ".join(parts) + " },"


def summed(products):
    """A sum of products, short: plain numbers are added up, and equal products are counted."""
    number, times = 0, {}
    for product in products:
        if re.fullmatch(r"[0-9*]+", product):
            number += math.prod(int(n) for n in product.split("*"))
        else:
            times[product] = times.get(product, 0) + 1
    parts = [product if n == 1 else f"{n}*{product}" for product, n in times.items()]
    return " + ".join(parts + ([str(number)] if number or not parts else []))


def size_line(values, label=None):
    parts = [f"label = {quoted(label)}"] if label else []
    parts += [f"{n} = {v}" for n, v in values.items()]
    return "  { " + ", ".join(parts) + " },"


def workload_sizes(task):
    """[(label, values)] of the file's other workloads that lie in the domains."""
    shapes, found = task.shapes, []
    if shapes.kind != "general":
        return found
    for label, axes in task.workloads:
        values = {}
        for name in shapes.names:
            domain = re.fullmatch(r"(\d+)\.\.(\d+)(?: multiple of (\d+))?", shapes.domain[name])
            value = axes.get(name)
            if domain is None and shapes.domain[name].startswith("fixed "):
                value = values.get(shapes.domain[name][6:])
            elif domain is None or value is None or not int(domain[1]) <= value <= int(domain[2]) or \
                    value % int(domain[3] or 1):
                value = None
            if value is None:
                break
            values[name] = value
        if len(values) == len(shapes.names) and values != shapes.size and \
                values not in [v for _, v in found]:
            found.append((label, values))
    return found


WORDS = {"f32": "float", "f64": "double", "f16": "half", "bf16": "bfloat16", "i32": "int",
         "i64": "64-bit int", "u8": "unsigned 8-bit", "i8": "signed 8-bit"}


def describe_argument(argument):
    shape = " x ".join(argument.dims) if argument.dims else "one element"
    kind, _, of = argument.slot.partition(" ")
    what = {"input": "what forward is given", "parameter": f"the module's parameter {of}",
            "buffer": f"the module's buffer {of}", "output": "what forward returns",
            "grad_output": "the gradient of what forward returns",
            "grad_input": f"the gradient of input {of}",
            "grad_parameter": f"the gradient of the parameter {of}"}[kind]
    notes = ""
    if argument.is_bool:
        notes = "; 0 is false, 1 is true"
    if argument.role == "inout":
        notes += "; forward changes it in place, and so must the kernel"
    if argument.strided:
        notes += "; contiguous here, strided in the file"
    return f"- `{argument.name}`: {shape}, {WORDS[argument.type]}, row-major; {what}{notes}."


def description(task, arguments, scalars):
    what = ("the gradients of the PyTorch module below: given what forward gets and the gradient of what "
            "it returns, the gradients of its inputs and parameters" if task.backward else
            "what the PyTorch module below computes")
    mode = "evaluation" if task.mode == "eval" else "training"
    lines = [f"Compute {what}. The module is in {mode} mode. Every buffer is contiguous.", ""]
    lines += [describe_argument(a) for a in arguments]
    numbers = [f"`{n}` = {v}" if v is not None else f"`{n}`" for n, _, v in scalars]
    if numbers:
        lines += ["", "Numbers, with the names that the file gives them: " + ", ".join(numbers) + ". "
                  "All other numbers are as the file says."]
    if task.small.absent:
        lines += ["", "Not given, None: " + ", ".join(f"`{n}`" for n in task.small.absent) + "."]
    if task.dropped and any(s.name in task.dropped for s in task.small.tensors):
        lines += ["", "Buffers of the module that are no arguments follow from its text or change nothing."]
    for note in task.notes:
        lines += ["", note[0].upper() + note[1:] + "."]
    return "\n".join(lines)


def title_of(task):
    stem = os.path.splitext(os.path.basename(task.options["path"]))[0]
    words = re.sub(r"[_\W]+", " ", re.sub(r"^\d+_", "", stem)).strip() or "Module"
    return words + (", backward" if task.backward else "")


def main_type(outputs):
    for kind in ("f32", "f64", "f16", "bf16"):
        if any(o.type == kind for o in outputs):
            return kind
    return outputs[0].type


def longest_sum(shapes):
    """A text for the terms of a call's longest sum. Operation by operation: which one adds up most depends on
    the sizes, and no product of powers is the larger of two of them."""
    rows = [p.sums for p in shapes.probes]
    together = shapes.grows([max(1.0, min(p.terms, 1e15)) for p in shapes.probes])
    if not rows[0] or any([n for n, _ in row] != [n for n, _ in rows[0]] for row in rows):
        return together
    texts = []
    for column in zip(*rows):
        ys = [terms for _, terms in column]
        whole = shapes.expression([int(y) for y in ys]) if all(y == int(y) for y in ys) else None
        texts.append(whole or shapes.grows([max(1.0, y) for y in ys]))
    constants = [t for t in texts if re.fullmatch(r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", t)]
    chosen = list(dict.fromkeys(t for t in texts if t not in constants)) + sorted(constants, key=float)[-1:]
    if len(chosen) > MOST_SUMS:
        return together
    text = chosen[0]
    for other in chosen[1:]:
        text = f"max({text}, {other})"
    return text


def task_toml(task):
    arguments, names = arguments_of(task)
    scalars = scalars_of(task, names)
    outputs = [a for a in arguments if a.role != "input"]
    main = main_type(outputs)
    shapes = task.shapes
    terms = longest_sum(shapes)
    flops = shapes.grows([max(1.0, p.flops) for p in shapes.probes])
    lines = [f"# Made from {os.path.basename(task.options['path'])}, which reference.py keeps. Everything here "
             "may be changed: docs/torch.md.",
             f"title = {quoted(title_of(task))}", 'description = """']
    lines += [description(task, arguments, scalars).replace("\\", "\\\\").replace('"""', "'''"), '"""']
    lines += ['rule_set = "free"'] + (["stream = true"] if task.options.get("stream") else [])
    if task.options.get("rules"):
        lines.append("rules = [" + ", ".join(quoted(rule) for rule in task.options["rules"]) + "]")
    lines += ["", "argument = ["]
    lines += [argument_line(task, a, main) for a in arguments]
    for name, kind, value in scalars:
        given = f", value = {quoted(value)}" if value is not None else ""
        lines.append(f'  {{ name = {quoted(name)}, type = "{kind}", role = "scalar"{given} }},')
    lines += ["]", "", "size = [", size_line(shapes.size, "given")]
    lines += [size_line(values, label) for label, values in workload_sizes(task)] + ["]"]
    if shapes.edges:
        lines += ["edge = ["] + [size_line(e) for e in shapes.edges] + ["]"]
    domain = dict(shapes.domain)
    for name, kind, value in scalars:
        if value is not None:
            domain[name] = f"fixed {value}"
    lines += ["", "[torch]", f'mode = "{task.mode}"', f"backward = {'true' if task.backward else 'false'}",
              f'shapes = "{task.options["shapes"] if shapes.names else "fixed"}"']
    if domain:
        lines += ["", "[domain]"] + [f"{n} = {quoted(t)}" for n, t in domain.items()]
    lines += ["", "# The longest sum: what rounding errors grow with.", "[derived]",
              f'terms = {quoted(f"max(1, min(65536, {terms}))")}']
    lines += ["", "[check]"] + check_text(task, main).replace(", ", "\n").split("\n")
    counts = {}
    for a in arguments:
        counts.setdefault(BYTES[a.type], []).append(a.count())
    total = " + ".join(f"{size}*({summed(c)})" for size, c in counts.items())
    lines += ["", "[cost]", f"bytes = {quoted(total)}", f"flops = {quoted(flops)}"]
    by_slot = {a.slot: a.name for a in arguments}
    for name, changes in task.variants.items():
        inputs = ", ".join(f"{by_slot[s]} = {quoted(d.text())}" for s, d in changes.items())
        lines += ["", "[[variant]]", f"name = {quoted(name)}", f"inputs = {{ {inputs} }}"]
    return "\n".join(lines) + "\n"
