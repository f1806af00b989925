// SPDX-License-Identifier: Apache-2.0
// Functions of the device runtime that kernels call: printf, assert, malloc and free; and those of
// wavefronts, for code that was written for another kind of device.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/prints.h"
#include "simt/checks/access.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr std::size_t kMaxPrinted = 1 << 20;
constexpr std::size_t kMaxString = 4096;

/// One byte of any space as the lane sees it; false outside every object.
bool peek(const Warp& w, u32 lane, u64 address, void* out, std::size_t bytes) {
  const std::byte* from = nullptr;
  if (address - kLocalWindow < kWindowBytes) {
    const u64 at = address - kLocalWindow;
    if (at + bytes <= w.kernel->local_bytes)
      from = w.local + u64{lane} * w.kernel->local_bytes + at;
  } else if (address - kSharedWindow < kWindowBytes) {
    const u64 at = address - kSharedWindow;
    if (at + bytes <= w.block->shared_bytes) from = w.block->shared + at;
  } else {
    const Memory& memory = *w.worker->launch->memory;
    const Allocation* a = memory.nearest(address);
    if (a != nullptr && a->live && address < a->end() && bytes <= a->end() - address)
      from = memory.host(address);
  }
  if (from == nullptr) return false;
  std::memcpy(out, from, bytes);
  return true;
}

std::string text_at(const Warp& w, u32 lane, u64 address) {
  std::string text;
  char c = 0;
  while (text.size() < kMaxString && peek(w, lane, address + text.size(), &c, 1) && c != '\0')
    text += c;
  return text;
}

/// printf's conversions, one at a time, through snprintf with a format of our own making.
std::string formatted(const Warp& w, u32 lane, const std::string& format, u64 args) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    const std::size_t end = format.find_first_of("diouxXcsfFeEgGaAp%", i + 1);
    if (end == std::string::npos) break;
    const std::string spec = format.substr(i, end - i);
    const char kind = format[end];
    i = end;
    if (kind == '%') {
      out += '%';
      continue;
    }
    const bool wide = spec.find('l') != std::string::npos || kind == 'p' || kind == 's' ||
                      std::strchr("fFeEgGaA", kind) != nullptr;
    std::string flags;
    for (const char c : spec)
      if (std::strchr("%+- #0123456789.", c) != nullptr) flags += c;
    args = wide ? (args + 7) / 8 * 8 : (args + 3) / 4 * 4;
    u64 bits = 0;
    if (!peek(w, lane, args, &bits, wide ? 8 : 4)) return out + "<bad argument>";
    args += wide ? 8 : 4;
    char buffer[512] = "";
    const auto put = [&](const char* length, auto value) {
      const std::string f = flags + length + kind;
      std::snprintf(buffer, sizeof buffer, f.c_str(), value);
    };
    if (kind == 's') {
      out += text_at(w, lane, bits);
      continue;
    }
    if (std::strchr("fFeEgGaA", kind) != nullptr)
      put("", std::bit_cast<double>(bits));
    else if (kind == 'p')
      put("", reinterpret_cast<void*>(bits));
    else if (wide && kind != 'c')
      put("ll", static_cast<long long>(bits));
    else
      put("", static_cast<int>(bits));
    out += buffer;
  }
  return out;
}

const Ins* run_vprintf(Warp& w, const Ins* i) {
  const u64* format = w.slot<u64>(i->more[0]);
  const u64* args = w.slot<u64>(i->more[1]);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    const std::string text = text_at(w, l, format[l]);
    // As on a device: a kernel could tell from it where it runs.
    const int count = format[l] == 0 ? -1 : ptx::printed_arguments(text);
    if (w.worker->printed.size() < kMaxPrinted) w.worker->printed += formatted(w, l, text, args[l]);
    w.slot<u32>(i->d)[l] = static_cast<u32>(count);
  }
  return i + 1;
}

const Ins* run_assertfail(Warp& w, const Ins* i) {
  const auto lane = static_cast<u32>(std::countr_zero(w.mask));
  report_lazily(w, i, FaultKind::assertion, lane, 0, "",
                [&] { return text_at(w, lane, w.slot<u64>(i->more[0])[lane]); });
  return exit_lanes(w, w.mask, i + 1);
}

/// Null when the heap is full, as on a device.
const Ins* run_malloc(Warp& w, const Ins* i) {
  LaunchState& launch = *w.worker->launch;
  const u64* bytes = w.slot<u64>(i->more[0]);
  u64* d = w.slot<u64>(i->d);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    // Result and argument may share a register.
    const u64 wanted = bytes[l], limit = launch.launch->options.heap_bytes;
    d[l] = 0;
    if (wanted == 0 || wanted > limit || launch.heap->bytes > limit - wanted) continue;
    const auto address = launch.memory->allocate(wanted, "device malloc");
    if (!address.ok()) continue;
    launch.heap->live.push_back(*address);
    launch.heap->bytes += wanted;
    d[l] = *address;
  }
  return i + 1;
}

const Ins* run_free(Warp& w, const Ins* i) {
  LaunchState& launch = *w.worker->launch;
  const u64* address = w.slot<u64>(i->more[0]);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((w.mask >> l & 1) == 0 || address[l] == 0) continue;
    auto& live = launch.heap->live;
    const auto at = std::find(live.begin(), live.end(), address[l]);
    if (at == live.end()) {
      report(w, i, FaultKind::use_after_free, l, address[l], "global",
             "free of an address that malloc did not give, or that was freed before");
      continue;
    }
    launch.heap->bytes -= launch.memory->nearest(address[l])->size_bytes;
    live.erase(at);
    (void)launch.memory->free(address[l]);
  }
  // What instructions remember of allocations is no longer true.
  for (AccessMemo& memo : w.worker->memos) memo = {};
  return i + 1;
}

constexpr std::uint8_t kPointer[] = {8};
constexpr std::uint8_t kPrinted[] = {8, 8};             // format, arguments
constexpr std::uint8_t kAssertion[] = {8, 8, 4, 8, 8};  // text, file, line, function, char
constexpr std::uint8_t kHostAssertion[] = {8, 8, 4, 8};
constexpr std::uint8_t kBallot[] = {4, 4};   // predicate, lanes of a wavefront
constexpr std::uint8_t kPick[] = {4, 4, 4};  // value, lane to read, lanes of a wavefront

constexpr RuntimeFunction kFunctions[] = {
    {"vprintf", run_vprintf, kPrinted, 4},
    {"__assertfail", run_assertfail, kAssertion, 0},
    {"__assert_fail", run_assertfail, kHostAssertion, 0},
    {"malloc", run_malloc, kPointer, 8},
    {"free", run_free, kPointer, 0},
    {"ww_wave_ballot", run_wave_ballot, kBallot, 8},
    {"ww_wave_pick", run_wave_pick, kPick, 4},
};

}  // namespace

const RuntimeFunction* runtime_function(std::string_view name) {
  for (const RuntimeFunction& f : kFunctions)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace warpwright::simt
