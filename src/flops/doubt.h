// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>

#include "flops/dataflow.h"
#include "simt/module.h"
#include "simt/state/memory.h"

namespace warpwright::flop {

/// Which memory is not what it would be, because a launch that writes it was not run completely.
/// By allocation: a kernel that writes a part of one leaves the rest as doubtful as it was.
class Doubt {
 public:
  explicit Doubt(const simt::Memory& memory) : memory_(memory) {}

  /// Memory that the program reads without asking.
  void shared_with_host(simt::Address address) { host_reaches_.insert(address); }
  void released(simt::Address address);
  /// 0 is the host's memory.
  void copied(simt::Address to, simt::Address from, std::uint64_t bytes);
  void filled(simt::Address at, std::uint64_t bytes);

  /// One launch, with the bytes of its parameters.
  struct Launch {
    const KernelTraits* traits = nullptr;  ///< null: it may do anything
    std::span<const simt::ParamFacts> params;
    std::span<const std::byte> values;
  };
  /// Whether it may read something doubtful, or was launched by a host that did.
  [[nodiscard]] bool reads(const Launch& launch) const;
  /// What it writes is doubtful from now on.
  void spread(const Launch& launch);
  [[nodiscard]] bool host() const { return host_; }

 private:
  [[nodiscard]] simt::Address allocation_at(simt::Address address) const;
  [[nodiscard]] std::set<simt::Address> reached(const Launch& launch, std::uint64_t which) const;
  void add(simt::Address allocation);

  const simt::Memory& memory_;
  std::set<simt::Address> doubtful_, host_reaches_;
  bool everywhere_ = false, host_ = false;
};

}  // namespace warpwright::flop
