// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simt/machine.h"

// One kernel of a PTX file run on its own, described in words: `warpwright simt`, and the header
// comments of test files.

namespace warpwright::simt {

/// How the elements of a buffer or an argument are read and shown.
enum class ValueType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };
Result<ValueType> value_type_named(std::string_view name);
std::string_view name_of(ValueType type);
std::uint32_t bytes_of(ValueType type);

/// One argument of the kernel, as bytes or as a buffer whose address is passed.
struct StandaloneArgument {
  bool is_buffer = false;
  std::vector<std::byte> bytes;  ///< the value, or the buffer's content
  // Buffers only.
  std::string name;
  ValueType type = ValueType::f32;
  bool written = true;  ///< false: its content counts as never written
  bool freed = false;   ///< freed before the launch
};

/// "f32:1.5", "i32:-7", "hex:00ff", or a buffer: "[NAME=]buf:TYPE:COUNT[:CONTENT]" with CONTENT
/// zero (the default), iota[,FIRST[,STEP]], fill,V, random[,SEED], none, freed or V,V,...; or
/// "[NAME=]buf:[TYPE:]@FILE". Buffers without a name are called arg0, arg1, ... by position.
Result<StandaloneArgument> parse_argument(std::string_view text);

/// What to print: `count` elements from `first`.
struct PrintRequest {
  std::string name;
  std::uint64_t first = 0, count = 8;
};

struct StandaloneRun {
  std::string kernel;  ///< its name in the PTX or in the source; empty: the only one
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::vector<StandaloneArgument> arguments;
  std::vector<PrintRequest> prints;
  LaunchOptions options;
};

/// Sets what the option --NAME VALUE says: kernel, grid, block, shared, arg, print, checks,
/// engine, schedule, threads, budget, seconds; cooperative has no value.
Status set_option(StandaloneRun& run, std::string_view name, std::string_view value);

/// The same for a whole line: "--kernel add --grid 2 --arg buf:f32:64".
Result<StandaloneRun> parse_run(std::string_view line);

struct StandaloneBuffer {
  std::string name;
  ValueType type = ValueType::f32;
  std::vector<std::byte> bytes;  ///< after the launch
};

struct StandaloneResult {
  std::string kernel;
  LaunchReport report;
  std::vector<StandaloneBuffer> buffers;
};

/// The kernel of that name: exact, or the only one whose source name is that.
Result<KernelFacts> find_kernel(const Module& module, std::string_view name);

/// Runs it on a machine of its own. The error is for what cannot be launched.
Result<StandaloneResult> run_standalone(const Module& module, const StandaloneRun& run);

/// "y[0..3] = 1 2 3 4"; an error names the buffers there are.
Result<std::string> printed_buffer(const StandaloneResult& result, const PrintRequest& request);

/// Kernels with parameters, shared memory and registers, one line each.
std::string describe_kernels(const Module& module);

/// What the run printed, the buffers asked for, the reports, and one line of counts.
Result<std::string> standalone_text(const StandaloneResult& result, const StandaloneRun& run);

}  // namespace warpwright::simt
