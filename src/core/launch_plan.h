// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace warpwright {

/// Device addresses in a plan are fake, and say which buffer they mean:
///
///   bits 63..52  0x575, the tag. No host maps such an address (it is not canonical on x86-64, nor
///                on aarch64 with its top byte ignored), and no GPU hands one out.
///   bits 51..40  the buffer's index in LaunchPlan::buffers
///   bits 39..0   2^39 + byte offset into the buffer
///
/// A buffer starts in the middle of its terabyte and is at most 2^38 bytes long, so pointers run
/// out of either end (p - 1, p + n + 7) by up to 2^38 bytes stay recognisable as that buffer's.
inline constexpr int kAddressIdShift = 40;
inline constexpr std::uint64_t kAddressTag = std::uint64_t{0x575} << 52;
inline constexpr std::uint64_t kAddressTagMask = std::uint64_t{0xFFF} << 52;
inline constexpr std::uint64_t kAddressBias = std::uint64_t{1} << 39;
inline constexpr std::uint64_t kMaxPlanBufferBytes = std::uint64_t{1} << 38;
inline constexpr std::size_t kMaxPlanBuffers = 4096;
inline constexpr std::size_t kMaxPlanSteps = std::size_t{1} << 18;
inline constexpr std::size_t kMaxParameterBytes = 32764;
inline constexpr std::size_t kMaxPlanTextBytes = std::size_t{256} << 20;

/// A tagged address taken apart. The offset may lie outside of the buffer.
struct PlanAddress {
  std::uint32_t buffer = 0;
  std::int64_t offset = 0;

  bool operator==(const PlanAddress&) const = default;
};

constexpr std::uint64_t tagged_address(std::uint32_t buffer, std::int64_t offset = 0) {
  return kAddressTag | (std::uint64_t{buffer} << kAddressIdShift) |
         ((kAddressBias + static_cast<std::uint64_t>(offset)) &
          ((std::uint64_t{1} << kAddressIdShift) - 1));
}

/// Absent when the word does not carry the tag. Says nothing on whether the buffer exists.
constexpr std::optional<PlanAddress> untagged(std::uint64_t word) {
  if ((word & kAddressTagMask) != kAddressTag) return std::nullopt;
  const std::uint64_t low = word & ((std::uint64_t{1} << kAddressIdShift) - 1);
  return PlanAddress{static_cast<std::uint32_t>((word & ~kAddressTagMask) >> kAddressIdShift),
                     static_cast<std::int64_t>(low) - static_cast<std::int64_t>(kAddressBias)};
}

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
  bool cooperative = false;
  bool overlaps = false;  ///< may begin before the launch before it has ended (programmatic)
  int carveout = -1;  ///< preferred shared-memory carve-out in percent, -1 = the driver's choice
  /// Laid out as the PTX .entry declares (each parameter at its natural alignment), pointers still
  /// tagged. Usable as CU_LAUNCH_PARAM_BUFFER after relocation.
  std::string parameters;
  std::vector<std::uint32_t> parameter_offsets;  ///< ascending, one per declared parameter

  bool operator==(const KernelLaunch&) const = default;
};

/// Rows of `width` elements of element_bytes (1, 2 or 4); rows are `pitch` bytes apart.
struct Memset {
  std::uint64_t destination = 0;
  std::uint32_t value = 0;
  std::uint32_t element_bytes = 1;
  std::uint64_t width = 0;
  std::uint64_t height = 1;
  std::uint64_t pitch = 0;  ///< ignored when height is 1

  bool operator==(const Memset&) const = default;
};

/// Device to device. Symbols are buffers too, so this also is a copy to or from a symbol.
struct DeviceCopy {
  std::uint64_t destination = 0;
  std::uint64_t source = 0;
  std::uint64_t width_bytes = 0;
  std::uint64_t height = 1;
  std::uint64_t destination_pitch = 0;  ///< pitches are ignored when height is 1
  std::uint64_t source_pitch = 0;

  bool operator==(const DeviceCopy&) const = default;
};

/// Host to device; rows are packed in `bytes`. The bytes may hold tagged addresses (a table of
/// pointers), which a replayer relocates like parameters.
struct Upload {
  std::uint64_t destination = 0;
  std::string bytes;
  std::uint64_t height = 1;
  std::uint64_t pitch = 0;  ///< of the destination; ignored when height is 1

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

/// What one call of `solve` asks the device to do, at one size. Recorded without a GPU; executed
/// in order, one step after the other, by a GPU runner or the SIMT machine.
struct LaunchPlan {
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> steps;
  std::uint64_t stack_bytes = 0;  ///< per thread, 0 = the driver's default
  std::uint64_t heap_bytes = 0;   ///< device-side malloc, 0 = the driver's default

  bool operator==(const LaunchPlan&) const = default;
};

/// Every plan that passes can be replayed without further thought about sizes: buffers and steps
/// are in bounds, each scratch buffer is allocated once before and not used after its life, memsets
/// and copies lie inside one live buffer, launches have positive dimensions within CUDA's limits.
/// Addresses inside parameters are not judged: that is the device's business.
Status check_plan(const LaunchPlan& plan);

/// One JSON object; docs/sandbox.md describes it.
std::string plan_to_text(const LaunchPlan& plan);

/// Parsed and checked. The text comes from an untrusted process: any text gives a plan or an error.
Result<LaunchPlan> plan_from_text(std::string_view text);

/// One pointer found in bytes.
struct AddressUse {
  std::size_t position = 0;  ///< in the bytes, a multiple of 8
  PlanAddress address;

  bool operator==(const AddressUse&) const = default;
};

/// Finds the 8-byte aligned little-endian words that point at (or near) one of the plan's buffers.
/// A random word looks like one with a chance below buffers / 2^24.
std::vector<AddressUse> find_addresses(std::string_view bytes, const LaunchPlan& plan);

/// Puts `bases[buffer] + offset` in place of every tagged address of `bytes`. bases has one entry
/// per buffer of the plan.
void relocate_addresses(std::string& bytes, const LaunchPlan& plan,
                        const std::vector<std::uint64_t>& bases);

}  // namespace warpwright
