# SPDX-License-Identifier: Apache-2.0
"""A module's file -> task.toml. Writes task.toml and notes.json into the folder it is given, or
refusal.txt with the reason."""
import json
import math
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch  # noqa: E402

import ww_errors  # noqa: E402
import ww_text  # noqa: E402
import ww_trial  # noqa: E402
from ww_call import Call  # noqa: E402
from ww_modes import seeded  # noqa: E402
from ww_points import Points, fixed_shapes, general, two_points  # noqa: E402
from ww_probe import TYPE_NAMES, probe, same_structure, slots_of  # noqa: E402
from ww_errors import Clock, TooLong  # noqa: E402
from ww_source import Refusal, Source  # noqa: E402
from ww_trial import EPS, Draw  # noqa: E402

LARGEST = 1 << 28  # elements that are computed here in float64
ENORMOUS = 1 << 32  # elements of the smallest shape: in float64 a quarter of a large GPU's memory
TOO_MUCH = 1e10  # operations of a call that is not made to learn of rounding
SLOW = 5  # seconds of one call: then once is enough
SENSITIVE = 1e-3  # relative error of floats: more is no measure of anything


class Task:
    """What was found out, for ww_text."""

    def __init__(self, source, options):
        self.source, self.options = source, options
        self.backward = options["backward"]
        self.mode = "train"
        self.notes = []
        self.slowest = 0.0  # seconds of one call
        self.draws = {}  # slot -> Draw
        self.changed = set()  # inputs that forward writes into
        self.dropped = set()  # buffers that are no arguments
        self.variants = {}  # name -> {slot: Draw}
        self.workloads = []  # (label, values) that are sizes where they can be
        self.axes = []  # names that the file says are sizes


def elements(found):
    slots = found.inputs + found.parameters + found.outputs
    return sum(math.prod(s.shape) for s in slots)


def find_points(task):
    """The probes at the given and at a small shape, and the numbers that were changed."""
    points = Points(task.source, task.mode, task.backward, task.options["deadline"], task.axes)
    points.started = time.process_time()
    full = points.at({})
    if full is None:
        first_error = points.last_error
        if isinstance(first_error, (Refusal, TooLong)):
            raise first_error
        points.fake, points.known = False, {}
        # Torch could not follow the shapes alone, or the module is at fault: the small shape tells.
        names = points.sizes(None)
        small = points.reduced(names) if names else {}
        if points.at(small) is None:
            raise points.last_error
        full = points.at({}) if elements(points.at(small)) else None
        if full is None:
            raise points.last_error
        return points, names, small, full
    names = points.sizes(full)
    return points, names, points.reduced(names), full


def find_shapes(task):
    points, names, values, full = find_points(task)
    small = points.at(values)
    if not same_structure(small, full):
        values, small = {n: points.given[n] for n in names}, full
    task.small_values, task.small, task.full = dict(points.given, **values), small, full
    # Inputs need not be made to be described; parameters are, because they are drawn as they begin.
    if elements(small) > (LARGEST if small.parameters else ENORMOUS):
        raise Refusal(f"{task.source.path}:{small.line}: the module is enormous: {elements(small):.3g} "
                      "elements, and no smaller shape was found at which it runs")
    changed = {n for n in names if values[n] != points.given[n]}
    shapes = None
    if task.options["shapes"] == "general" and names and points.slowest < 1:
        shapes = general(points, names, small, full, values)
    if shapes is not None and small.unfollowed and not runs_at_edges(task, shapes):
        shapes = None
    if shapes is None and changed:
        shapes = two_points(points, small, full, values)
    task.shapes = shapes if shapes is not None else fixed_shapes(full)


def runs_at_edges(task, shapes):
    """Whether the module runs where only shapes were declared: at the small sizes."""
    if elements(task.small) > LARGEST // 8:
        return True  # a GPU will tell
    for edge in shapes.edges:
        values = dict(task.small_values, **edge)
        try:
            probe(task.source, values, task.mode, task.backward, False)
        except TooLong:
            raise
        except Exception:
            return False
    return True


def drawn_input(task, i, slot):
    """How an input is drawn: as the file draws it, else from the values that it has."""
    if slot.draw is not None:
        source, numbers, modifiers = slot.draw
        texts = []
        for k, number in enumerate(numbers):
            text = task.shapes.of(lambda p: p.inputs[i].draw[1][k]) if isinstance(number, int) else None
            texts.append(number if text is None or re.fullmatch(r"-?\d+", text) else text)
        changed = []
        for k, (name, number) in enumerate(modifiers):
            text = task.shapes.of(lambda p: p.inputs[i].draw[2][k][1]) if isinstance(number, int) else None
            changed.append((name, number if text is None or re.fullmatch(r"-?\d+", text) else text))
        return Draw(source, texts, changed, here=numbers, modifiers_here=modifiers)
    if task.real_is_fake:
        return Draw("normal", [0, 1]) if slot.dtype.is_floating_point else Draw("ints", [0, 1])
    leaf = dict(task.real.inputs())[slot.name[6:]]
    if leaf.dtype == torch.bool or set(leaf.unique().tolist()) <= {0, 1} and leaf.numel() > 8 and \
            leaf.dtype != torch.float64 and leaf.unique().numel() == 2:
        return Draw("ints", [0, 1])
    if not leaf.is_floating_point():
        return Draw("ints", [int(leaf.min()), int(leaf.max())] if leaf.numel() else [0, 1])
    low, high = (float(leaf.min()), float(leaf.max())) if leaf.numel() else (0.0, 1.0)
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        return Draw("normal", [0, 1]) if low in (0.0, float("-inf")) else Draw("uniform", [0.5, 1.5])
    if low >= 0 and high <= 1:
        return Draw("uniform", [0, 1])
    mean, sd = float(leaf.mean()), float(leaf.std()) if leaf.numel() > 1 else 1.0
    return Draw("normal", [round(mean, 3), float(f"{max(sd, 1e-3):.3g}")])


def product_text(dims):
    dims = [d for d in dims if d != "1"] or ["1"]
    return "*".join(dims)


def drawn_parameter(task, kind, i, slot, tensor):
    """Weights as they are initialised, in size; ones and zeros vary around them."""
    t = tensor.detach().double().reshape(-1)
    if not tensor.is_floating_point():
        return Draw("ints", [int(t.min()), int(t.max())])
    same = t.numel() > 0 and bool((t == t[0]).all())
    value = float(t[0]) if t.numel() else 0.0
    if same and value == 0:
        return Draw("uniform", [-0.5, 0.5])
    if same:
        return Draw("uniform", [0.5 * value, 1.5 * value] if value > 0 else [1.5 * value, 0.5 * value])
    sd = float(t.std())
    fan = math.prod(slot.shape[1:]) if len(slot.shape) > 1 else 0
    if fan > 1 and 0.3 < sd * math.sqrt(3 * fan) < 3 and t.numel() >= 8:
        dims = [task.shapes.of(lambda p: getattr(p, kind)[i].shape[d]) for d in range(1, len(slot.shape))]
        draw = Draw("uniform", [-1, 1], [("fan", 1 / math.sqrt(fan))])
        draw.factor_text = f"1/sqrt({product_text(dims)})"
        return draw
    if float(t.min()) >= 0 and float(t.max()) <= 1 and t.numel() > 8:
        return Draw("uniform", [0, 1])
    return Draw("normal", [round(float(t.mean()), 2), float(f"{max(sd, 0.05):.2g}")])


def choose_draws(task):
    values = task.small_values
    task.real_is_fake = elements(task.small) > LARGEST // 8 and not task.small.parameters
    task.real = Call(task.source, values, False, task.mode, fake_inputs=task.real_is_fake)
    for i, slot in enumerate(task.small.inputs):
        task.draws[slot.name] = drawn_input(task, i, slot)
    tensors = dict(task.real.parameters())
    for i, slot in enumerate(task.small.parameters):
        task.draws[slot.name] = drawn_parameter(task, "parameters", i, slot, tensors[slot.name[10:]])
    other = dict(Call(task.source, values, False, task.mode, seed=77, fake_inputs=task.real_is_fake).tensors())
    for i, slot in enumerate(task.small.tensors):
        mine, its = dict(task.real.tensors())[slot.name[7:]], other[slot.name[7:]]
        last = slot.name.split(".")[-1].split(" ")[-1]
        if torch.equal(torch.nan_to_num(mine), torch.nan_to_num(its)) and \
                last not in ("running_mean", "running_var"):
            task.dropped.add(slot.name)  # follows from the module's text
            continue
        task.draws[slot.name] = drawn_parameter(task, "tensors", i, slot, mine)
    if task.backward:
        for slot in task.small.outputs:
            if slot.name[7:] in task.small.differentiable:
                task.draws["grad_" + slot.name] = Draw("normal", [0, 1])


def slot_list(task):
    slots = [s for s in task.small.inputs + task.small.parameters + task.small.tensors
             if s.name not in task.dropped]
    return [(s.name, s.shape, s.dtype) for s in slots] + \
        [("grad_" + s.name, s.shape, s.dtype) for s in task.small.outputs
         if task.backward and s.name[7:] in task.small.differentiable]


def sampled(task, seed, changes=None):
    seeded(seed)
    draws = dict(task.draws, **(changes or {}))
    return {name: draws[name].sample(shape, dtype) for name, shape, dtype in slot_list(task)}


def computed(task, data, double=True, seed=0):
    started = time.process_time()
    made = ww_trial.run(task.source, task.small_values, task.mode, task.backward, data, double, seed)
    task.slowest = max(task.slowest, time.process_time() - started)
    return made


def affords(task, calls):
    """Whether so many more calls fit the time that finding things out may take."""
    return time.process_time() + calls * task.slowest < task.options["settle_by"]


def settle_randomness(task):
    """Training mode, unless dropout makes results random there."""
    data = sampled(task, 1)
    first = computed(task, data, seed=1)
    if task.slowest > SLOW or not affords(task, 6):
        return None
    if not ww_trial.differs(first, computed(task, data, seed=2)):
        return first
    task.mode = "eval"
    first = computed(task, data, seed=1)
    if ww_trial.differs(first, computed(task, data, seed=2)):
        raise Refusal(f"{task.source.path}:{task.small.line}: the module is random: two calls with the "
                      "same inputs give different outputs, in evaluation mode too")
    task.notes.append("random in training mode, so the reference runs in evaluation mode")
    return first


def settle_changed(task, first):
    """Inputs that forward changes in place."""
    data = sampled(task, 1)
    for slot in task.small.inputs if not task.backward else []:
        after = first.get("changed " + slot.name[6:])
        if after is not None and ww_trial.differs({"x": data[slot.name]}, {"x": after}):
            task.changed.add(slot.name)


def settle_buffers(task, first):
    """Buffers that change nothing are no arguments: all of them at once, else one by one."""
    rest = [s for s in task.small.tensors if s.name not in task.dropped]
    if not rest:
        return
    data = sampled(task, 1)

    def idle(slots):
        other = dict(data)
        for slot in slots:
            other[slot.name] = task.draws[slot.name].sample(slot.shape, slot.dtype) + 1
        return not ww_trial.differs(first, computed(task, other, seed=1))

    if idle(rest):
        task.dropped.update(s.name for s in rest)
        return
    for slot in rest if len(rest) * task.slowest < 5 and affords(task, len(rest) + 4) else []:
        if idle([slot]):
            task.dropped.add(slot.name)


def float_inputs(task):
    return [s for s in task.small.inputs if s.dtype.is_floating_point]


def settle_tolerance(task):
    """How far honest arithmetic in the module's own precision is off, and inputs beyond the file's."""
    def error(changes, seed):
        data = sampled(task, seed, changes)
        exact = computed(task, data)
        if ww_trial.finite_share(exact) < 0.99:
            return None
        try:
            return ww_trial.error_of(exact, computed(task, data, double=False))
        except Exception:  # no such operation in this precision on a CPU
            return 0.0

    seeds = (3, 4, 5) if task.slowest < 1 else (3,)
    base = max([e for e in (error(None, s) for s in seeds) if e is not None] or [0.0])
    names = [s.name for s in float_inputs(task)]
    candidates = {"signed": {n: Draw("normal", [0, 1]) for n in names},
                  "wide": {n: Draw("uniform", [-4, 4]) for n in names}}
    for name, changes in candidates.items():
        if task.slowest > 2 and name != "signed" or not affords(task, 5):
            continue
        if not names or all(task.draws[n].text() == d.text() for n, d in changes.items()):
            continue
        found = [error(changes, s) for s in ((6, 7) if task.slowest < 1 else (6,))]
        if None in found or max(found) > 16 * max(base, 2.0 ** -22):
            continue
        task.variants[name] = changes
        base = max(base, max(found))
    task.error = base


def settle_sensitive(task):
    """Statistics of few values turn rounding into results: then those of evaluation are meant."""
    rounding = max([EPS.get(s.type, 0.0) for s in slots_of(task.small)] or [0.0])
    if task.error <= max(SENSITIVE, 64 * rounding) or task.mode == "eval" or not task.small.tensors or \
            not affords(task, 6):
        return
    before = task.error
    task.mode, task.variants = "eval", {}
    task.dropped, task.draws = set(), {}
    choose_draws(task)
    first = settle_randomness(task)
    settle_buffers(task, first)
    settle_tolerance(task)
    task.notes.append(f"in training mode float arithmetic is off by {before:.2g} at small shapes, so the "
                      "reference runs in evaluation mode")


def settle_unseen(task):
    """A module that is too much work to be called here: by what its parts say."""
    drops = [m for m in task.real.module.modules()
             if "dropout" in type(m).__name__.lower() and getattr(m, "p", 0) > 0]
    if drops:
        task.mode = "eval"
        task.notes.append("random in training mode, so the reference runs in evaluation mode")
    if task.mode != "eval":
        task.dropped.update(s.name for s in task.small.tensors
                            if s.name.endswith(("running_mean", "running_var", "num_batches_tracked")))
    task.error = 0.0


def describe(options, clock):
    with open(options["file"]) as file:
        text = file.read()
    source = Source(text, options["path"])
    task = Task(source, options)
    clock.set(options["load_s"])
    names = source.load({})  # errors of the text itself come first, with their line
    task.workloads = names.get("_workloads", [])
    task.axes = names.get("_axes", [])
    clock.set(options["limit_s"])
    find_shapes(task)
    clock.set(options["limit_s"])
    choose_draws(task)
    options["settle_by"] = time.process_time() + options.get("settle_s", 40)
    settle(task)
    return ww_text.task_toml(task), task.notes


def settle(task):
    """What calls at the small shape tell. A module that runs but takes its time is a task, too."""
    much = task.small.flops > TOO_MUCH or elements(task.small) > LARGEST // 8
    first = None
    try:
        first = None if much else settle_randomness(task)
        if first is not None:
            settle_changed(task, first)
            settle_buffers(task, first)
            settle_tolerance(task)
            settle_sensitive(task)
            return
    except TooLong:
        if task.slowest == 0:
            raise  # not a single call came to its end
        task.mode, task.variants, task.notes = "train", {}, []
        task.dropped, task.draws, task.changed = set(), {}, set()
        choose_draws(task)
    settle_unseen(task)


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "options.json")) as file:
        options = json.load(file)
    torch.set_num_threads(max(1, options.get("threads", 1)))
    options["deadline"] = time.process_time() + options["search_s"]
    clock = Clock(options["path"])
    try:
        toml, notes = describe(options, clock)
    except BaseException as error:  # a module may raise anything
        said = str(error) if isinstance(error, TooLong) else ww_errors.said(error, options["path"])
        # Whole or not at all: a module may have left more processes than one, which all come here.
        draft = os.path.join(folder, f"refusal.{os.getpid()}")
        with open(draft, "w") as file:
            file.write(said)
        os.replace(draft, os.path.join(folder, "refusal.txt"))
        return 0
    with open(os.path.join(folder, "task.toml"), "w") as file:
        file.write(toml)
    with open(os.path.join(folder, "notes.json"), "w") as file:
        json.dump(notes, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
