// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace warpwright {

inline constexpr std::uint64_t kMaxPlanBufferBytes = std::uint64_t{1} << 38;
inline constexpr std::size_t kMaxPlanBuffers = 4096;
inline constexpr std::size_t kMaxPlanSteps = std::size_t{1} << 18;
inline constexpr std::size_t kMaxPlanStreams = 64;
inline constexpr std::size_t kMaxParameterBytes = 32764;
inline constexpr std::size_t kMaxPlanTextBytes = std::size_t{256} << 20;

/// A place in one of the plan's buffers. The offset may lie outside of it (p - 1, p + n + 7).
struct PlanAddress {
  std::uint32_t buffer = 0;
  std::int64_t offset = 0;

  bool operator==(const PlanAddress&) const = default;
};

/// A pointer among bytes: a replayer writes the address there, little endian. Only what is listed
/// is a pointer; bytes that merely look like one are data.
struct AddressUse {
  std::size_t position = 0;  ///< of the first of its eight bytes
  PlanAddress address;

  bool operator==(const AddressUse&) const = default;
};

/// Written to disk by name.
enum class BufferKind : int {
  argument = 0,  ///< a pointer argument of `solve`; the runner owns it
  scratch = 1,   ///< between its Allocate step and its Free step, or the plan's end
  symbol = 2,    ///< a __device__ or __constant__ variable of the module
};

struct PlanBuffer {
  BufferKind kind = BufferKind::scratch;
  std::uint32_t argument = 0;  ///< argument: its position among all arguments of `solve`
  std::string symbol;          ///< symbol: the variable's name in the PTX
  std::uint64_t bytes = 0;

  bool operator==(const PlanBuffer&) const = default;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  bool operator==(const Dim3&) const = default;
};

struct KernelLaunch {
  std::string kernel;  ///< the .entry's name in the PTX
  Dim3 grid, block, cluster;
  std::uint32_t shared_bytes = 0;  ///< dynamic; above 48 KiB the candidate opted in
  /// A cluster was asked for. Of one block as well: some instructions (st.async) trap without one.
  bool clustered = false;
  bool cooperative = false;
  bool overlaps = false;  ///< may begin before the launch before it has ended (programmatic)
  int carveout = -1;  ///< preferred shared-memory carve-out in percent, -1 = the driver's choice
  /// Laid out as the PTX .entry declares (each parameter at its natural alignment), with zeros
  /// where pointers go. Not a CU_LAUNCH_PARAM_BUFFER: the driver lays out parameters that need an
  /// alignment of 64 bytes (tensor maps) in its own way.
  std::string parameters;
  std::vector<std::uint32_t> parameter_offsets;  ///< ascending, one per declared parameter
  std::vector<AddressUse> pointers;              ///< in the parameters; ascending, apart

  bool operator==(const KernelLaunch&) const = default;
};

/// Rows of `width` elements of element_bytes (1, 2 or 4); rows are `pitch` bytes apart.
struct Memset {
  PlanAddress destination;
  std::uint32_t value = 0;
  std::uint32_t element_bytes = 1;
  std::uint64_t width = 0;
  std::uint64_t height = 1;
  std::uint64_t pitch = 0;  ///< ignored when height is 1

  bool operator==(const Memset&) const = default;
};

/// Device to device. Symbols are buffers too, so this also is a copy to or from a symbol.
struct DeviceCopy {
  PlanAddress destination;
  PlanAddress source;
  std::uint64_t width_bytes = 0;
  std::uint64_t height = 1;
  std::uint64_t destination_pitch = 0;  ///< pitches are ignored when height is 1
  std::uint64_t source_pitch = 0;

  bool operator==(const DeviceCopy&) const = default;
};

/// Host to device; rows are packed in `bytes`. They may hold pointers (a table of them), which a
/// replayer relocates like those of parameters.
struct Upload {
  PlanAddress destination;
  std::string bytes;
  std::uint64_t height = 1;
  std::uint64_t pitch = 0;           ///< of the destination; ignored when height is 1
  std::vector<AddressUse> pointers;  ///< in the bytes; ascending, apart

  bool operator==(const Upload&) const = default;
};

/// The scratch buffer begins to exist, with undefined content.
struct Allocate {
  std::uint32_t buffer = 0;

  bool operator==(const Allocate&) const = default;
};

struct Free {
  std::uint32_t buffer = 0;

  bool operator==(const Free&) const = default;
};

using PlanStep = std::variant<KernelLaunch, Memset, DeviceCopy, Upload, Allocate, Free>;

/// What a step waits for. Steps of one stream end in their order; `after` names what else must have
/// ended before this one begins: events, synchronisations of the host, the default stream's rules.
struct StepOrder {
  std::uint32_t stream = 0;          ///< 0 = the host itself: allocations and frees
  std::vector<std::uint32_t> after;  ///< earlier steps, ascending

  bool operator==(const StepOrder&) const = default;
};

/// What one call of `solve` asks the device to do, at one size. Recorded without a GPU; executed by
/// a GPU runner or the SIMT machine. The call ends when all of its steps have ended, whatever their
/// streams.
struct LaunchPlan {
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> steps;    ///< in the order in which `solve` asked for them
  std::vector<StepOrder> order;   ///< one per step; empty: each step after the one before it
  std::uint64_t stack_bytes = 0;  ///< per thread, 0 = the driver's default
  std::uint64_t heap_bytes = 0;   ///< device-side malloc, 0 = the driver's default
  double host_us = 0;             ///< what `solve` took on the host, without the recorder's share

  bool operator==(const LaunchPlan&) const = default;
};

/// Every plan that passes can be replayed without further thought about sizes: buffers and steps
/// are in bounds, each scratch buffer is allocated once before and not used after its life (in the
/// order of the steps), memsets and copies lie inside one live buffer, launches have positive
/// dimensions within CUDA's limits, steps wait for earlier ones only. Where a pointer inside
/// parameters leads is not judged: that is the device's business.
Status check_plan(const LaunchPlan& plan);

/// Whether a kernel is launched at all.
bool launches_kernel(const LaunchPlan& plan);

/// One JSON object; docs/sandbox.md describes it.
std::string plan_to_text(const LaunchPlan& plan);

/// Parsed and checked. Any text gives a plan or an error.
Result<LaunchPlan> plan_from_text(std::string_view text);

/// Writes `bases[buffer] + offset` over the bytes of each pointer. bases has one entry per buffer
/// of the plan that the pointers come from.
void relocate(std::string& bytes, const std::vector<AddressUse>& pointers,
              const std::vector<std::uint64_t>& bases);

}  // namespace warpwright
