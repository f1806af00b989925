// SPDX-License-Identifier: Apache-2.0
#include "flops/doubt.h"

#include <algorithm>
#include <cstring>

namespace warpwright::flop {

using simt::Address;

Address Doubt::allocation_at(Address address) const {
  const simt::Allocation* found = memory_.nearest(address);
  const bool inside = found != nullptr && found->live && address >= found->begin &&
                      address - found->begin < std::max<std::uint64_t>(found->size_bytes, 1);
  return inside ? found->begin : 0;
}

void Doubt::add(Address allocation) {
  doubtful_.insert(allocation);
  if (host_reaches_.contains(allocation)) host_ = true;
}

void Doubt::released(Address address) {
  doubtful_.erase(address);
  host_reaches_.erase(address);
}

void Doubt::copied(Address to, Address from, std::uint64_t bytes) {
  const bool doubtful = from == 0 ? host_ : everywhere_ || doubtful_.contains(allocation_at(from));
  if (!doubtful) return filled(to, bytes);
  if (to == 0) {
    host_ = true;
  } else {
    add(allocation_at(to));
  }
}

void Doubt::filled(Address at, std::uint64_t bytes) {
  const simt::Allocation* found = at == 0 ? nullptr : memory_.nearest(at);
  if (found != nullptr && found->begin == at && bytes >= found->size_bytes) doubtful_.erase(at);
}

std::set<Address> Doubt::reached(const Launch& launch, std::uint64_t which) const {
  std::set<Address> found;
  for (std::size_t i = 0; i < launch.params.size(); ++i) {
    if ((which >> std::min<std::size_t>(i, 63) & 1) == 0) continue;
    const simt::ParamFacts& param = launch.params[i];
    // A structure may hold several pointers.
    for (std::uint64_t at = param.offset; at + 8 <= param.offset + param.size_bytes; at += 8) {
      if (at + 8 > launch.values.size()) break;
      Address address = 0;
      std::memcpy(&address, launch.values.data() + at, sizeof address);
      if (const Address begin = allocation_at(address); begin != 0) found.insert(begin);
    }
  }
  return found;
}

bool Doubt::reads(const Launch& launch) const {
  if (host_) return true;
  if (!everywhere_ && doubtful_.empty()) return false;
  if (launch.traits == nullptr || launch.traits->loads_anywhere || everywhere_) return true;
  const std::set<Address> read = reached(launch, launch.traits->loaded);
  return std::any_of(read.begin(), read.end(),
                     [&](Address each) { return doubtful_.contains(each); });
}

void Doubt::spread(const Launch& launch) {
  if (launch.traits == nullptr || launch.traits->stores_anywhere) {
    everywhere_ = true;
    if (!host_reaches_.empty()) host_ = true;
    return;
  }
  for (const Address each : reached(launch, launch.traits->stored)) add(each);
}

}  // namespace warpwright::flop
