// SPDX-License-Identifier: Apache-2.0
// The Python texts of operators without a module. @WORDS@ are filled in (plain_package.cpp).
#pragma once

namespace warpwright::exchange {

/// Beginning of __init__.py; kPackageHead follows.
inline constexpr const char* kPlainTitle =
    R"("""@TITLE@: torch.ops.@SPACE@.@NAME@, made by Warpwright.

    from @SPACE@ import @NAME@
    @EXAMPLE@
"""
)";

/// Behind kPackageHead: checks of the shape function, in the words of binding.cpp.
inline constexpr const char* kPlainHelpers = R"(def _holds(condition, name, value, words):
    if not condition:
        raise ValueError(f"{name} is {value}; the kernel was judged for {words}")


def _type(tensor, name, dtype):
    if tensor.dtype != dtype:
        raise ValueError(f"{name} must be of the type {dtype}, it is of {tensor.dtype}")


def _elements(tensor, name, count, text):
    if tensor.numel() != count:
        raise ValueError(f"{name} must have {text} = {count} elements, it has {tensor.numel()}")


def _at_least(tensor, name, count, text):
    if tensor.numel() < count:
        raise ValueError(f"{name} must have {text}, at least {count} elements, it has {tensor.numel()}")


def _in_place(tensor, name):
    if not tensor.is_contiguous():
        raise ValueError(f"{name} is changed in place and must be contiguous")


def _flags():
    """For this machine's GPU. Assembly may use features of one architecture alone."""
    major, minor = torch.cuda.get_device_capability()
    number = f"{major}{minor}" + ("a" if @ASSEMBLY@ and major >= 9 else "")
    numbers = ("HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS")
    return ["-O3", "--extended-lambda", f"-gencode=arch=compute_{number},code=sm_{number}",
            *(f"-U__CUDA_NO_{name}__" for name in numbers)]


)";

/// The end of __init__.py.
inline constexpr const char* kPlainFunction = R"(

def @NAME@(@PARAMETERS@):
    """@TITLE@.

@ARGUMENTS@

    @RETURNS@
    """
    return _OPERATOR(@PARAMETERS@)
)";

/// test_NAME.py: against the baseline, or alone where there is none.
inline constexpr const char* kPlainTest =
    R"("""The operator on one size with inputs from files: values, another stream, torch.compile, wrong calls.

    python test_@NAME@.py
"""
import contextlib
import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import @SPACE@  # noqa: E402

# Name, type, whether it is changed in place.
TENSORS = [@TENSORS@]
NUMBERS = [@NUMBERS@]
# Name, elements, type; how near it must be: relative to elements and their root mean square, absolute, or the same bits.
OUTPUTS = [@OUTPUTS@]
NEAR = {@NEAR@}
KERNEL = torch.ops.@SPACE@.@NAME@.default
BASELINE = @BASELINE@


def given(device):
    """The inputs from this folder's files or the one above."""
    tensors = []
    for name, dtype, _ in TENSORS:
        file = f"test_input_{name}.bin"
        path = next(p for p in (os.path.join(HERE, file), os.path.join(HERE, "..", file)) if os.path.exists(p))
        with open(path, "rb") as stream:
            content = bytearray(stream.read())
        tensor = torch.frombuffer(content, dtype=dtype) if content else torch.empty(0, dtype=dtype)
        tensors.append(tensor.to(device))
    return tensors


def call(function, tensors, own=False):
    """By name: what it returns and what it changes; in copies, unless the tensors are its own."""
    if not own:
        tensors = [t.clone() if changed else t for t, (_, _, changed) in zip(tensors, TENSORS)]
    result = function(*tensors, *NUMBERS)
    result = () if result is None else result if isinstance(result, (tuple, list)) else (result,)
    found = {name: tensor for (name, _, _), tensor in zip(OUTPUTS, result)}
    found.update({name: t for t, (name, _, changed) in zip(tensors, TENSORS) if changed})
    return found


def bytes_of(tensor):
    return tensor.flatten().view(torch.uint8).reshape(tensor.numel(), tensor.element_size())


def compare(found, expected, what):
    assert list(found) == list(expected), what
    for name, want in expected.items():
        relative, absolute, bits = NEAR[name]
        same = (bytes_of(found[name]) == bytes_of(want)).all(1)
        got, want = found[name].double().flatten(), want.double().flatten()
        finite = want.isfinite()
        scale = want[finite].pow(2).mean().sqrt().item() if finite.any() else 0.0
        room = relative * (want.abs() + scale) + absolute
        good = same
        if not bits:
            good = same | (got == want) | want.isnan() | (finite & ((got - want).abs() <= room))
        bad = (~good).nonzero().flatten()
        assert bad.numel() == 0, (f"{name} {what}: {bad.numel()} of {want.numel()} differ, first [{bad[0].item()}]: "
                                  f"{got[bad[0]].item()}, expected {want[bad[0]].item()}")
    print(f"{what} ok: {', '.join(expected)}")


def shapes_hold(tensors):
    found = call(KERNEL, tensors)
    for name, count, dtype in OUTPUTS:
        assert found[name].numel() == count and found[name].dtype == dtype, name
    print("shapes ok")


def wrong_calls_are_refused(tensors):
    wrong = [torch.cat([tensors[0].flatten(), tensors[0].flatten()[:1]]), *tensors[1:]] if @COUNTED@ else None
    other = [tensors[0].to(torch.complex64), *tensors[1:]]
    for call_with in filter(None, (wrong, other)):
        try:
            KERNEL(*call_with, *NUMBERS)
        except (ValueError, RuntimeError) as error:
            assert TENSORS[0][0] in str(error), error
            continue
        raise AssertionError("a wrong call was not refused")
    print("wrong calls refused")


def values_hold(tensors):
    found = call(KERNEL, tensors)
    expected = call(BASELINE, tensors) if BASELINE else found
    compare(found, expected, "against the baseline" if BASELINE else "by itself")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        again = call(KERNEL, tensors)
    side.synchronize()
    compare(again, expected, "on another stream")
    shifted = [torch.empty(t.numel() + 1, dtype=t.dtype, device=t.device)[1:].copy_(t) for t in tensors]
    compare(call(@SPACE@.@NAME@, shifted, own=True), expected, "misaligned")
    if hasattr(torch, "compile"):
        compare(call(torch.compile(@SPACE@.@NAME@), tensors), expected, "under torch.compile")
    if hasattr(torch.library, "opcheck"):
        # It finds a number that is none different from itself.
        numbers = [t.nan_to_num() if t.is_floating_point() else t.clone() for t in tensors]
        torch.library.opcheck(KERNEL, (*numbers, *NUMBERS))
        print("opcheck ok")


if torch.cuda.is_available():
    shapes_hold(given("cuda"))
    values_hold(given("cuda"))
    wrong_calls_are_refused(given("cuda"))
    print("PASSED")
else:
    print("no CUDA device here: the kernel itself is not tested")
    below = torch._C._AutoDispatchBelowAutograd()  # older versions of torch have no gradients of operators on this device
    with below if hasattr(below, "__enter__") else contextlib.nullcontext():
        shapes_hold(given("meta"))
        wrong_calls_are_refused(given("meta"))
)";

}  // namespace warpwright::exchange
