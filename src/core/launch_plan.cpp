// SPDX-License-Identifier: Apache-2.0
#include "core/launch_plan.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "ptx/limits.h"

namespace warpwright {

namespace {

constexpr std::size_t kMaxNameBytes = 4096;
constexpr const ptx::Limits& kMost = ptx::kLimits;
constexpr std::uint32_t kMaxSharedBytes = 1U << 20;
constexpr std::size_t kPointerBytes = 8;

/// C++ mangled names and PTX identifiers; nothing that could confuse a loader or a log.
bool is_symbol_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '_' && c != '$' && c != '.' && c != '%') return false;
  }
  return true;
}

/// Walks the steps in order and knows which buffers live.
class PlanChecker {
 public:
  explicit PlanChecker(const LaunchPlan& plan) : plan_(plan), live_(plan.buffers.size()) {}

  Status run() {
    WW_CHECK(buffers());
    if (plan_.steps.size() > kMaxPlanSteps) return problem("too many steps");
    if (!plan_.order.empty() && plan_.order.size() != plan_.steps.size()) {
      return Error{"launch plan: not one order per step"};
    }
    for (step_ = 0; step_ < plan_.steps.size(); ++step_) {
      WW_CHECK(std::visit([this](const auto& step) { return check(step); }, plan_.steps[step_]));
      if (!plan_.order.empty()) WW_CHECK(check(plan_.order[step_]));
    }
    return {};
  }

 private:
  Error problem(std::string_view what) const {
    return Error{"launch plan, step " + std::to_string(step_) + ": " + std::string(what)};
  }

  Status buffers() {
    if (plan_.buffers.size() > kMaxPlanBuffers) return Error{"launch plan: too many buffers"};
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const auto& buffer = plan_.buffers[i];
      const std::string where = "launch plan, buffer " + std::to_string(i) + ": ";
      if (buffer.bytes > kMaxPlanBufferBytes) return Error{where + "too large"};
      if (buffer.kind == BufferKind::symbol && !is_symbol_name(buffer.symbol)) {
        return Error{where + "not a symbol name"};
      }
      if (buffer.kind == BufferKind::argument && buffer.argument >= 256) {
        return Error{where + "argument number out of range"};
      }
      live_[i] = buffer.kind != BufferKind::scratch;
    }
    used_.assign(plan_.buffers.size(), false);
    return {};
  }

  /// Rows of `width` bytes, `pitch` apart, must lie in one live buffer.
  Status range(const PlanAddress& address, std::uint64_t width, std::uint64_t height,
               std::uint64_t pitch) const {
    if (address.buffer >= plan_.buffers.size()) {
      return problem("an address that belongs to no buffer");
    }
    if (!live_[address.buffer]) return problem("a buffer that is not allocated at this point");
    if (height == 0 || width == 0) return {};
    const std::uint64_t size = plan_.buffers[address.buffer].bytes;
    if (address.offset < 0 || static_cast<std::uint64_t>(address.offset) > size) {
      return problem("an address outside of its buffer");
    }
    const std::uint64_t room = size - static_cast<std::uint64_t>(address.offset);
    if (height > 1 && pitch < width) return problem("a pitch below the width");
    // No product can wrap: every factor is checked against the room first.
    if (width > room || (height > 1 && (height - 1) > (room - width) / pitch)) {
      return problem("a range that leaves its buffer");
    }
    return {};
  }

  Status check(const KernelLaunch& launch) {
    if (!is_symbol_name(launch.kernel)) return problem("not a kernel name");
    const Dim3 &grid = launch.grid, &block = launch.block, &cluster = launch.cluster;
    for (const auto& dims : {grid, block, cluster}) {
      if (dims.x == 0 || dims.y == 0 || dims.z == 0) return problem("a zero dimension");
    }
    if (grid.x > kMost.grid_x || grid.y > kMost.grid_y || grid.z > kMost.grid_z) {
      return problem("the grid is too large");
    }
    if (block.x > kMost.block_x || block.y > kMost.block_y || block.z > kMost.block_z ||
        std::uint64_t{block.x} * block.y * block.z > kMost.threads_per_block) {
      return problem("the block is too large");
    }
    if (cluster.x > kMost.blocks_per_cluster || cluster.y > kMost.blocks_per_cluster ||
        cluster.z > kMost.blocks_per_cluster ||
        cluster.x * cluster.y * cluster.z > kMost.blocks_per_cluster) {
      return problem("the cluster is too large");
    }
    if (!launch.clustered && cluster != Dim3{}) return problem("a cluster that nobody asked for");
    if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
      return problem("the grid is not a multiple of the cluster");
    }
    if (launch.shared_bytes > kMaxSharedBytes) return problem("too much shared memory");
    if (launch.carveout < -1 || launch.carveout > 100) return problem("carve-out out of range");
    return check_parameters(launch);
  }

  Status check_parameters(const KernelLaunch& launch) const {
    if (launch.parameters.size() > kMaxParameterBytes) return problem("too many parameter bytes");
    std::uint64_t next = 0;
    for (const std::uint32_t offset : launch.parameter_offsets) {
      if (offset < next || offset >= launch.parameters.size()) {
        return problem("parameter offsets are not ascending or leave the bytes");
      }
      next = std::uint64_t{offset} + 1;
    }
    return check(launch.pointers, launch.parameters.size());
  }

  Status check(const std::vector<AddressUse>& pointers, std::size_t bytes) const {
    std::size_t next = 0;
    for (const AddressUse& use : pointers) {
      if (use.address.buffer >= plan_.buffers.size()) {
        return problem("an address that belongs to no buffer");
      }
      if (use.position < next || use.position > bytes || bytes - use.position < kPointerBytes) {
        return problem("pointers are not ascending or leave the bytes");
      }
      next = use.position + kPointerBytes;
    }
    return {};
  }

  Status check(const StepOrder& order) const {
    if (order.stream >= kMaxPlanStreams) return problem("too many streams");
    if (order.after.size() > kMaxPlanStreams) return problem("waits for too many steps");
    std::uint64_t next = 0;
    for (const std::uint32_t earlier : order.after) {
      if (earlier < next || earlier >= step_) return problem("waits for what is not before it");
      next = std::uint64_t{earlier} + 1;
    }
    return {};
  }

  Status check(const Memset& step) {
    const auto bytes = step.element_bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4) return problem("memset of a strange element size");
    if (step.width > kMaxPlanBufferBytes) return problem("a range that leaves its buffer");
    return range(step.destination, step.width * bytes, step.height, step.pitch);
  }

  Status check(const DeviceCopy& step) {
    WW_CHECK(range(step.source, step.width_bytes, step.height, step.source_pitch));
    return range(step.destination, step.width_bytes, step.height, step.destination_pitch);
  }

  Status check(const Upload& step) {
    if (step.height == 0 || step.bytes.size() % step.height != 0) {
      return problem("an upload whose rows do not match its bytes");
    }
    WW_CHECK(check(step.pointers, step.bytes.size()));
    return range(step.destination, step.bytes.size() / step.height, step.height, step.pitch);
  }

  Status check(const Allocate& step) {
    if (step.buffer >= live_.size() || plan_.buffers[step.buffer].kind != BufferKind::scratch ||
        used_[step.buffer]) {
      return problem("allocates what is not a new scratch buffer");
    }
    used_[step.buffer] = live_[step.buffer] = true;
    return {};
  }

  Status check(const Free& step) {
    if (step.buffer >= live_.size() || plan_.buffers[step.buffer].kind != BufferKind::scratch ||
        !live_[step.buffer]) {
      return problem("frees what is not a live scratch buffer");
    }
    live_[step.buffer] = false;
    return {};
  }

  const LaunchPlan& plan_;
  std::vector<bool> live_;
  std::vector<bool> used_;
  std::size_t step_ = 0;
};

}  // namespace

Status check_plan(const LaunchPlan& plan) { return PlanChecker(plan).run(); }

bool launches_kernel(const LaunchPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) {
    return std::holds_alternative<KernelLaunch>(step);
  });
}

void relocate(std::string& bytes, const std::vector<AddressUse>& pointers,
              const std::vector<std::uint64_t>& bases) {
  for (const AddressUse& use : pointers) {
    const std::uint64_t real =
        bases.at(use.address.buffer) + static_cast<std::uint64_t>(use.address.offset);
    ASSERT(use.position + sizeof real <= bytes.size(),
           "a checked plan's pointers are in its bytes");
    std::memcpy(bytes.data() + use.position, &real, sizeof real);
  }
}

}  // namespace warpwright
