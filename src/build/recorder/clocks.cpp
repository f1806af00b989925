// SPDX-License-Identifier: Apache-2.0
// Time as host code sees it. These functions stand before the C library's: a clock goes on by a
// microsecond whenever somebody looks, and begins anywhere. Two recordings of a call have dates
// that are decades apart, and must ask for the same.
#include "clocks.h"

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "recorder.h"

namespace ww_recorder {

namespace {

constexpr std::uint64_t kNow = 1'800'000'000;  // seconds; 2027
constexpr std::uint64_t kYear = 31'557'600;

std::uint64_t date_ns = kNow * 1'000'000'000;  ///< since 1970
std::uint64_t uptime_ns = 9'000'000'000'000;   ///< since the machine was started
std::uint64_t used_ns = 80'000'000;            ///< of a processor
std::atomic<std::uint64_t> looks{0};

std::uint64_t mixed(std::uint64_t& seed) {
  std::uint64_t word = seed += 0x9E3779B97F4A7C15;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

std::uint64_t passed_ns() { return 1000 * looks.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t read_clock(clockid_t clock) {
  const std::uint64_t passed = passed_ns();
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return date_ns + passed;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return used_ns + passed;
    default:
      return uptime_ns + passed;
  }
}

}  // namespace

void set_clock(std::uint64_t seed) {
  const bool ahead = (seed & 1) != 0;
  const std::uint64_t years = ahead ? 20 + mixed(seed) % 80 : 0;
  date_ns =
      (kNow + years * kYear + mixed(seed) % kYear) * 1'000'000'000 + mixed(seed) % 1'000'000'000;
  uptime_ns = mixed(seed) % (std::uint64_t{1} << 56);
  used_ns = mixed(seed) % (std::uint64_t{1} << 38);
}

void forget_clocks() {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return;
  char line[512];
  unsigned long long begin[8], end[8];
  int found = 0;
  while (found < 8 && std::fgets(line, sizeof line, maps) != nullptr) {
    if (std::strstr(line, "[vvar") == nullptr) continue;
    if (std::sscanf(line, "%llx-%llx", &begin[found], &end[found]) == 2) ++found;
  }
  std::fclose(maps);
  for (int i = 0; i < found; ++i) {
    ::munmap(reinterpret_cast<void*>(begin[i]), end[i] - begin[i]);
  }
}

}  // namespace ww_recorder

using ww_recorder::read_clock;

WW_API int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  const std::uint64_t now = read_clock(clock);
  time->tv_sec = static_cast<time_t>(now / 1'000'000'000);
  time->tv_nsec = static_cast<long>(now % 1'000'000'000);
  return 0;
}
WW_API int timespec_get(struct timespec* time, int base) noexcept {
  clock_gettime(CLOCK_REALTIME, time);
  return base;
}
WW_API int gettimeofday(struct timeval* time, void*) noexcept {
  const std::uint64_t now = read_clock(CLOCK_REALTIME);
  time->tv_sec = static_cast<time_t>(now / 1'000'000'000);
  time->tv_usec = static_cast<long>(now % 1'000'000'000 / 1000);
  return 0;
}
WW_API time_t time(time_t* to) noexcept {
  const auto now = static_cast<time_t>(read_clock(CLOCK_REALTIME) / 1'000'000'000);
  if (to != nullptr) *to = now;
  return now;
}
WW_API clock_t clock(void) noexcept {
  return static_cast<clock_t>(read_clock(CLOCK_PROCESS_CPUTIME_ID) / 1000);
}
WW_API clock_t times(struct tms* used) noexcept {
  const auto ticks = static_cast<clock_t>(read_clock(CLOCK_PROCESS_CPUTIME_ID) / 10'000'000);
  if (used != nullptr) *used = {ticks, 0, 0, 0};
  return static_cast<clock_t>(read_clock(CLOCK_MONOTONIC) / 10'000'000);
}
