// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpwright {

/// task.toml of a module with one input and one output, for one shape.
inline constexpr const char* kFixedTorchTask = R"toml(
title = "T"
description = "D"
argument = [
  { name = "x", type = "f32", role = "input", count = "n", values = "normal(0, 1)", torch = "input 0" },
  { name = "y", type = "f32", role = "output", count = "n", torch = "output" },
  { name = "n", type = "i32", role = "scalar" },
]
size = [{ label = "given", n = 1000 }]
edge = [{ n = 3 }]
[torch]
shapes = "fixed"
[domain]
n = "1..1000"
[check]
rule = "elementwise"
[cost]
bytes = "8*n"
flops = "n"
)toml";

}  // namespace warpwright
