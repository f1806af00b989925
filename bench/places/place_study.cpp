// SPDX-License-Identifier: Apache-2.0
// place_study [RUNS [PART...]]: what moves the time of one kernel from one evaluation to the next?
//   one     medians of a small kernel, with one thing made anew each time: nothing, the graph, the
//           module, the buffers, the module with others loaded in between
//   twelve  the same for the mean over twelve places, as the judge takes it
//   modes   the mean over twelve places again and again: directly, by a graph, and of an empty plan
//   steps   plans of one to eight launches by a graph and directly, in turns
//   cost    what one timed run costs by the host's clock
//   memory  a kernel bound by memory in buffers with unmapped neighbours and in plain ones, in
//   turns
// All of them when none is named. For a GPU host.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/device.h"
#include "profile/statistics.h"

using namespace warpwright;

namespace {

constexpr int kRepeats = 16;
int runs_per_median = 40;

// out[i] = in[i] + in[i], one element a thread. `pad` is never reached: it gives the code a size.
std::string kernel_ptx(int padding) {
  std::string text =
      ".version 7.0\n.target sm_70\n.address_size 64\n"
      ".visible .entry twice(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
      "  .reg .pred %p<3>;\n  .reg .b32 %r<6>;\n  .reg .b64 %rd<8>;\n  .reg .f32 %f<4>;\n"
      "  ld.param.u64 %rd1, [in];\n  ld.param.u64 %rd2, [out];\n  ld.param.u32 %r1, [n];\n"
      "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
      "  mad.lo.u32 %r5, %r2, %r3, %r4;\n  setp.ge.u32 %p1, %r5, %r1;\n  @%p1 bra END;\n"
      "  mul.wide.u32 %rd3, %r5, 4;\n  add.u64 %rd4, %rd1, %rd3;\n  add.u64 %rd5, %rd2, %rd3;\n"
      "  ld.global.f32 %f1, [%rd4];\n  add.f32 %f2, %f1, %f1;\n  st.global.f32 [%rd5], %f2;\n"
      "END:\n  ret;\n";
  for (int i = 0; i < padding; ++i) text += "  st.global.f32 [%rd5], %f2;\n";
  return text + "}\n";
}

// The same, four elements a thread; n must be a multiple of 1024.
std::string wide_kernel_ptx() {
  return ".version 7.0\n.target sm_70\n.address_size 64\n"
         ".visible .entry twice(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
         "  .reg .b32 %r<6>;\n  .reg .b64 %rd<8>;\n  .reg .f32 %f<4>;\n"
         "  ld.param.u64 %rd1, [in];\n  ld.param.u64 %rd2, [out];\n"
         "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
         "  mad.lo.u32 %r5, %r2, %r3, %r4;\n  mul.wide.u32 %rd3, %r5, 16;\n"
         "  add.u64 %rd4, %rd1, %rd3;\n  add.u64 %rd5, %rd2, %rd3;\n"
         "  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd4];\n  add.f32 %f0, %f0, %f0;\n"
         "  st.global.v4.f32 [%rd5], {%f0, %f1, %f2, %f3};\n  ret;\n}\n";
}

struct World {
  device::Device& device;
  std::uint32_t n;
  device::ModuleId module = -1;
  std::vector<device::Binding> bindings;
  std::unique_ptr<device::Replay> replay;

  std::uint32_t elements_per_thread = 1;
  int launches = 1;

  Status load() {
    const std::string ptx = elements_per_thread == 1 ? kernel_ptx(0) : wide_kernel_ptx();
    WW_TRY(const auto loaded, device.load({.ptx = ptx, .cubin = "", .source_file = ""}));
    if (loaded.fault) return Error{loaded.fault->message};
    module = loaded.module;
    return {};
  }
  Status allocate() {
    bindings.clear();
    for (const bool output : {false, true}) {
      WW_TRY(const auto id, device.allocate(std::uint64_t{n} * 4, output ? "out" : "in"));
      bindings.push_back(
          {.buffer = id,
           .before = output ? device::Binding::Before::poison : device::Binding::Before::keep});
    }
    bindings.emplace_back();
    return {};
  }
  Status prepare() {
    LaunchPlan plan;
    for (std::uint32_t i = 0; i < 2; ++i) {
      plan.buffers.push_back({.kind = BufferKind::argument,
                              .argument = i,
                              .symbol = "",
                              .bytes = std::uint64_t{n} * 4});
    }
    KernelLaunch launch;
    launch.kernel = "twice";
    const std::uint32_t per_block = 256 * elements_per_thread;
    launch.grid = {(n + per_block - 1) / per_block, 1, 1};
    launch.block = {256, 1, 1};
    launch.cluster = {1, 1, 1};
    launch.parameters.resize(20);
    std::memcpy(launch.parameters.data() + 16, &n, 4);
    launch.parameter_offsets = {0, 8, 16};
    launch.pointers = {{0, {0, 0}}, {8, {1, 0}}};
    for (int i = 0; i < launches; ++i) plan.steps.emplace_back(launch);
    WW_TRY(replay, device.prepare(module, plan, bindings));
    return {};
  }
  device::RunOptions::By by = device::RunOptions::By::graph;

  Result<double> sample_us(int number) {
    WW_TRY(const auto report, replay->run({.poison_seed = static_cast<std::uint64_t>(number),
                                           .timed = true,
                                           .by = by,
                                           .limit_s = 2}));
    if (!report.faults.empty()) return Error{report.faults.front().message};
    return report.elapsed_us;
  }
  Result<double> median_us() {
    std::vector<double> samples;
    for (int i = 0; i < runs_per_median; ++i) {
      WW_TRY(const double us, sample_us(i));
      samples.push_back(us);
    }
    return profile::median(samples);
  }
};

struct Variant {
  const char* name;
  std::function<Status(World&, std::mt19937&)> renew;
};

Status load_between(World& world, int most, std::mt19937& random) {
  for (int i = static_cast<int>(random() % static_cast<unsigned>(most + 1)); i > 0; --i) {
    const int padding = static_cast<int>(random() % 4000);
    WW_CHECK(world.device.load({.ptx = kernel_ptx(padding), .cubin = "", .source_file = ""}));
  }
  return {};
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"nothing", [](World&, std::mt19937&) { return Status{}; }},
      {"graph", [](World& w, std::mt19937&) { return w.prepare(); }},
      {"module",
       [](World& w, std::mt19937&) -> Status {
         WW_CHECK(w.load());
         return w.prepare();
       }},
      {"module, others between",
       [](World& w, std::mt19937& random) -> Status {
         WW_CHECK(load_between(w, 6, random));
         WW_CHECK(w.load());
         return w.prepare();
       }},
      {"buffers",
       [](World& w, std::mt19937&) -> Status {
         WW_CHECK(w.allocate());
         return w.prepare();
       }},
      {"buffers and module",
       [](World& w, std::mt19937&) -> Status {
         WW_CHECK(w.allocate());
         WW_CHECK(w.load());
         return w.prepare();
       }},
  };
  return all;
}

Status study(device::Device& device, std::uint32_t n) {
  std::mt19937 random(std::random_device{}());
  World world{device, n, -1, {}, {}};
  WW_CHECK(world.load());
  WW_CHECK(world.allocate());
  WW_CHECK(world.prepare());
  for (int i = 0; i < 20; ++i) WW_CHECK(world.median_us());
  for (const Variant& variant : variants()) {
    std::vector<double> medians;
    for (int i = 0; i < kRepeats; ++i) {
      WW_CHECK(variant.renew(world, random));
      WW_TRY(const double us, world.median_us());
      medians.push_back(us);
    }
    const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
    double mean = 0, squares = 0;
    for (const double us : medians) mean += us / kRepeats;
    for (const double us : medians) squares += (us - mean) * (us - mean) / (kRepeats - 1);
    std::printf("n 2^%-2.0f new %-24s mean %8.3f us  sd %5.2f %%  %8.3f .. %8.3f  |", std::log2(n),
                variant.name, mean, 100 * std::sqrt(squares) / mean, *least, *most);
    for (const double us : medians) std::printf(" %.2f", us);
    std::printf("\n");
    std::fflush(stdout);
  }
  return {};
}

/// As the judge times a size: twelve places in turns, the mean of their medians. Which part, made
/// anew at all twelve, moves it from one time to the next?
Status twelve(device::Device& device, std::uint32_t n) {
  constexpr int kPlaces = 12, kSamples = 16, kTimes = 12;
  std::mt19937 random(std::random_device{}());
  std::vector<World> worlds;
  for (int i = 0; i < kPlaces; ++i) worlds.push_back(World{device, n, -1, {}, {}});
  for (World& world : worlds) {
    WW_CHECK(world.load());
    WW_CHECK(world.allocate());
    WW_CHECK(world.prepare());
  }
  for (const Variant& variant : variants()) {
    std::printf("n 2^%-2.0f twelve places, new %-24s |", std::log2(n), variant.name);
    for (int time = 0; time < kTimes; ++time) {
      for (World& world : worlds) WW_CHECK(variant.renew(world, random));
      std::vector<std::vector<double>> samples(kPlaces);
      for (int i = 0; i < kSamples * kPlaces; ++i) {
        const auto place = static_cast<std::size_t>(i % kPlaces);
        WW_TRY(const double us, worlds[place].sample_us(i));
        samples[place].push_back(us);
      }
      double mean = 0;
      for (const auto& of_place : samples) mean += profile::median(of_place) / kPlaces;
      std::printf(" %.3f", mean);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return {};
}

Result<double> mean_over(std::vector<World>& worlds, device::RunOptions::By by, int samples_each,
                         World* between = nullptr) {
  std::vector<std::vector<double>> samples(worlds.size());
  for (int i = 0; i < samples_each * static_cast<int>(worlds.size()); ++i) {
    const auto place = static_cast<std::size_t>(i) % worlds.size();
    worlds[place].by = by;
    for (int k = 0; between != nullptr && k < i * 7 % 5; ++k) WW_CHECK(between->sample_us(i));
    WW_TRY(const double us, worlds[place].sample_us(i));
    samples[place].push_back(us);
  }
  double mean = 0;
  for (const auto& of_place : samples) {
    mean += profile::median(of_place) / static_cast<double>(worlds.size());
  }
  return mean;
}

/// Does a time have modes that last, and do all ways to launch share them? A third of the times
/// with all made anew. `shifted`: directly, with up to four empty runs before each sample, so that
/// its commands lie elsewhere in the driver's buffers.
Status modes(device::Device& device, std::uint32_t n, int launches) {
  constexpr int kPlaces = 12, kTimes = 36;
  using By = device::RunOptions::By;
  std::vector<World> worlds, empty;
  for (int i = 0; i < kPlaces; ++i) {
    worlds.push_back(World{device, n, -1, {}, {}});
    worlds.back().launches = launches;
    empty.push_back(World{device, n, -1, {}, {}});
    empty.back().launches = 0;
  }
  std::vector<std::vector<double>> series(4);
  for (int time = 0; time < kTimes; ++time) {
    for (World& world : worlds) {
      if (time % 3 != 0) break;
      WW_CHECK(world.load());
      if (time == 0) WW_CHECK(world.allocate());
      WW_CHECK(world.prepare());
    }
    for (std::size_t i = 0; i < empty.size() && time == 0; ++i) {
      empty[i].module = worlds[i].module;
      empty[i].bindings = worlds[i].bindings;
      WW_CHECK(empty[i].prepare());
    }
    WW_TRY(const double direct, mean_over(worlds, By::direct, 8));
    WW_TRY(const double graph, mean_over(worlds, By::graph, 8));
    WW_TRY(const double nothing, mean_over(empty, By::direct, 8));
    series[0].push_back(direct);
    series[1].push_back(graph);
    series[2].push_back(nothing);
    WW_TRY(const double shifted, mean_over(worlds, By::direct, 8, &empty.front()));
    series[3].push_back(shifted);
  }
  const char* names[] = {"direct", "graph", "empty", "shifted"};
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::printf("n 2^%-2.0f launches %d modes, %-7s |", std::log2(n), launches, names[i]);
    for (const double us : series[i]) std::printf(" %.2f", us);
    std::printf("\n");
  }
  std::fflush(stdout);
  return {};
}

/// Several launches through a graph and directly, in turns.
Status graph_or_not(device::Device& device, std::uint32_t n, int launches) {
  World world{device, n, -1, {}, {}};
  world.launches = launches;
  WW_CHECK(world.load());
  WW_CHECK(world.allocate());
  WW_CHECK(world.prepare());
  std::printf("n 2^%-2.0f launches %d graph, direct in turns |", std::log2(n), launches);
  for (int i = 0; i < 8; ++i) {
    world.by = i % 2 == 0 ? device::RunOptions::By::graph : device::RunOptions::By::direct;
    WW_TRY(const double us, world.median_us());
    std::printf("%s %.2f", i % 2 == 0 ? "  " : "", us);
  }
  std::printf("\n");
  return {};
}

/// What a timed run takes by the host's clock, everything before it included.
Status cost(device::Device& device) {
  World world{device, 1U << 14, -1, {}, {}};
  WW_CHECK(world.load());
  WW_CHECK(world.allocate());
  WW_CHECK(world.prepare());
  WW_CHECK(world.median_us());
  constexpr int kRounds = 10;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) WW_CHECK(world.median_us());
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  std::printf("a timed run of a small kernel: %.1f us by the host's clock\n",
              spent.count() / kRounds / runs_per_median);
  const auto loading = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) WW_CHECK(world.load());
  const std::chrono::duration<double, std::micro> loaded =
      std::chrono::steady_clock::now() - loading;
  std::printf("loading its module: %.1f us\n", loaded.count() / kRounds);
  return {};
}

/// With unmapped neighbours, as the judge has them, or plain.
Status memory(const device::ResolvedDevice& resolved, bool plain) {
  device::ResolvedDevice choice = resolved;
  choice.choice.bare = plain;
  WW_TRY(const auto device, device::open_device(choice, 10));
  for (const std::uint32_t n : {1U << 22, 1U << 24, 1U << 26, 1U << 28}) {
    World world{*device, n, -1, {}, {}};
    world.elements_per_thread = 4;
    WW_CHECK(world.load());
    WW_CHECK(world.allocate());
    WW_CHECK(world.prepare());
    WW_CHECK(world.median_us());
    WW_TRY(const double us, world.median_us());
    std::printf("n 2^%-2.0f %s buffers: %8.2f us, %5.0f GB/s\n", std::log2(n),
                plain ? "plain " : "walled", us, 8e-3 * n / us);
    for (const device::Binding& binding : world.bindings) {
      if (binding.buffer >= 0) device->release(binding.buffer);
    }
  }
  std::fflush(stdout);
  return {};
}

struct Part {
  const char* name;
  std::function<Status(device::Device&)> run;
};

const std::vector<Part>& parts() {
  static const std::vector<Part> all = {
      {"one",
       [](device::Device& device) -> Status {
         for (const std::uint32_t n : {1U << 14, 1U << 18, 1U << 22}) WW_CHECK(study(device, n));
         return {};
       }},
      {"twelve",
       [](device::Device& device) -> Status {
         for (const std::uint32_t n : {1U << 14, 1U << 22}) WW_CHECK(twelve(device, n));
         return {};
       }},
      {"modes",
       [](device::Device& device) -> Status {
         for (const int launches : {1, 2, 3}) WW_CHECK(modes(device, 1U << 18, launches));
         return {};
       }},
      {"steps",
       [](device::Device& device) -> Status {
         for (const std::uint32_t n : {1U << 14, 1U << 22}) {
           for (const int launches : {1, 2, 3, 4, 8}) WW_CHECK(graph_or_not(device, n, launches));
         }
         return {};
       }},
      {"cost", cost},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) runs_per_median = std::max(1, std::atoi(argv[1]));
  const std::vector<std::string> named(argv + std::min(argc, 2), argv + argc);
  const auto wanted = [&](const char* part) {
    return named.empty() || std::find(named.begin(), named.end(), part) != named.end();
  };
  const auto resolved = device::resolve_device({.device = "cuda"});
  if (!resolved.ok()) return std::fprintf(stderr, "%s\n", resolved.error().message.c_str()), 2;
  auto opened = device::open_device(*resolved, 10);
  if (!opened.ok()) return std::fprintf(stderr, "%s\n", opened.error().message.c_str()), 2;
  Status done;
  for (const Part& part : parts()) {
    if (done.ok() && wanted(part.name)) done = part.run(**opened);
  }
  opened->reset();  // one judge at a time has the GPU
  for (int i = 0; i < 4 && done.ok() && wanted("memory"); ++i) done = memory(*resolved, i % 2 == 1);
  if (!done.ok()) return std::fprintf(stderr, "%s\n", done.error().message.c_str()), 1;
  return 0;
}
