// SPDX-License-Identifier: Apache-2.0
// simt_bench [scaling] [KERNEL...]: lane instructions per second of the SIMT machine, and the same
// work in a plain C++ loop, in one run on one core. CPU time, best of several, so that a busy
// machine does not matter. With "scaling": how much faster two threads are.
//
// simt_kernels.ptx comes from simt_kernels.cu by
//   clang-19 -x cuda -nocudainc -nocudalib --cuda-path=/nonexistent -Xclang
//   -target-sdk-version=12.3
//     --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-feature=+ptx83 -S -O3 -gline-tables-only
// without its comments and debug sections.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "base/files.h"
#include "simt/machine.h"
#include "support/places.h"

namespace {

using namespace warpwright;
using namespace warpwright::simt;

double cpu_s(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double best_of(int times, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const double start = cpu_s();
    work();
    best = std::min(best, cpu_s() - start);
  }
  return best;
}

std::vector<std::byte> params(std::initializer_list<Address> pointers, int n,
                              const float* first = nullptr) {
  std::vector<std::byte> bytes;
  const auto add = [&](const auto& value) {
    while (bytes.size() % sizeof value != 0) bytes.push_back(std::byte{0});
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), p, p + sizeof value);
  };
  if (first != nullptr) add(*first);
  for (const Address& a : pointers) add(a);
  add(n);
  return bytes;
}

struct Case {
  std::string name;
  Dim3 grid, block;
  std::vector<std::byte> params;
  std::function<void()> plain;
};

/// How much faster two threads are: by the clock, and by the CPU time that both spend together,
/// which a busy machine does not disturb.
void show_scaling(Machine& machine, const Module& module, const Case& c) {
  for (const Checks checks : {Checks::fast, Checks::full}) {
    double wall[2] = {1e9, 1e9}, cpu[2] = {1e9, 1e9};
    for (int k = 0; k < 15; ++k)
      for (const unsigned threads : {1u, 2u}) {
        LaunchOptions options;
        options.checks = checks;
        options.engine = Engine::interpreted;
        options.threads = threads;
        const double start = cpu_s(CLOCK_PROCESS_CPUTIME_ID);
        const auto r = machine.launch(module, {c.name, c.grid, c.block, 0, c.params, options});
        cpu[threads - 1] = std::min(cpu[threads - 1], cpu_s(CLOCK_PROCESS_CPUTIME_ID) - start);
        if (r.ok()) wall[threads - 1] = std::min(wall[threads - 1], r->wall_s);
      }
    fmt::print("{:10} checks {:5} two threads {:.2f} times as fast as one, {:.2f} by CPU time\n",
               c.name, checks == Checks::fast ? "fast" : "full", wall[0] / wall[1],
               2 * cpu[0] / cpu[1]);
  }
}

struct Wanted {
  bool scaling = false;
  std::vector<std::string> kernels;  ///< none: all
};

void show(Machine& machine, const Module& module, const Case& c, const Wanted& wanted) {
  if (!wanted.kernels.empty() &&
      std::find(wanted.kernels.begin(), wanted.kernels.end(), c.name) == wanted.kernels.end())
    return;
  if (wanted.scaling) return show_scaling(machine, module, c);
  const double plain = best_of(7, c.plain);
  fmt::print("{:10} plain C++ {:8.2f} ms\n", c.name, plain * 1e3);
  constexpr std::pair<Checks, const char*> kLevels[] = {
      {Checks::off, "off"}, {Checks::fast, "fast"}, {Checks::full, "full"}};
  for (const auto& [checks, name] : kLevels) {
    double interpreted = 0;
    for (const Engine engine : {Engine::interpreted, Engine::compiled}) {
      std::uint64_t lanes = 0;
      bool clean = true;
      const double s = best_of(5, [&, level = checks] {
        LaunchOptions options;
        options.checks = level;
        options.engine = engine;
        const auto r = machine.launch(module, {c.name, c.grid, c.block, 0, c.params, options});
        clean = clean && r.ok() && r->clean();
        if (r.ok()) lanes = r->counts.lane_instructions();
      });
      const bool compiled = engine == Engine::compiled;
      fmt::print(
          "{:10} checks {:5} {:11} {:8.2f} ms  {:5.2f} G lane instructions/s  {:6.1f} x "
          "plain{}{}\n",
          c.name, name, compiled ? "compiled" : "interpreted", s * 1e3,
          static_cast<double>(lanes) / s * 1e-9, s / plain,
          compiled ? fmt::format("  {:.1f} times the interpreter", interpreted / s) : "",
          clean ? "" : "  FAULTS");
      interpreted = s;
    }
  }
}

std::vector<float> numbers(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 7919 % 1000) / 1000;
  return v;
}

void keep(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted{argc > 1 && std::string_view(argv[1]) == "scaling", {}};
  wanted.kernels.assign(argv + (wanted.scaling ? 2 : 1), argv + argc);
  const auto text = read_file(source_path("/bench/simt_kernels.ptx"));
  if (!text.ok()) return fmt::print("{}\n", text.error().message), 1;
  const auto module = load(*text);
  if (!module.ok()) return fmt::print("{}\n", module.error().message), 1;
  Machine machine;
  const auto device = [&](const std::vector<float>& host, const char* name) {
    const Address a = machine.memory().allocate(host.size() * 4, name).value();
    if (!machine.memory().copy_in(a, std::as_bytes(std::span(host))).ok()) std::abort();
    return a;
  };
  const int n = 1 << 22, side = 256, wide = 1024;
  std::vector<float> x = numbers(n), y = numbers(n), a = numbers(side * side), b = a, c = a,
                     t = numbers(wide * wide), u = t;
  const float two = 2;
  const Address dx = device(x, "x"), dy = device(y, "y");
  show(machine, *module,
       {"saxpy",
        {n / 256},
        {256},
        params({dx, dy}, n, &two),
        [&] {
          for (int i = 0; i < n; ++i) y[i] = two * x[i] + y[i];
          keep(y.data());
        }},
       wanted);
  show(machine, *module,
       {"matmul",
        {side / 32, side / 32},
        {32, 32},
        params({device(a, "a"), device(b, "b"), device(c, "c")}, side),
        [&] {
          std::fill(c.begin(), c.end(), 0.0f);
          for (int i = 0; i < side; ++i)
            for (int k = 0; k < side; ++k)
              for (int j = 0; j < side; ++j) c[i * side + j] += a[i * side + k] * b[k * side + j];
          keep(c.data());
        }},
       wanted);
  show(machine, *module,
       {"reduce",
        {256},
        {256},
        params({dx, device(std::vector<float>(256), "out")}, n),
        [&] {
          float sum = 0;
          for (int i = 0; i < n; ++i) sum += x[i];
          keep(&sum);
        }},
       wanted);
  show(machine, *module,
       {"transpose",
        {wide / 32, wide / 32},
        {32, 8},
        params({device(t, "in"), device(u, "out")}, wide),
        [&] {
          for (int i = 0; i < wide; ++i)
            for (int j = 0; j < wide; ++j) u[j * wide + i] = t[i * wide + j];
          keep(u.data());
        }},
       wanted);
  return 0;
}
