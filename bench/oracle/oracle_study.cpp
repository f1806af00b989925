// SPDX-License-Identifier: Apache-2.0
// oracle_study DEVICE CACHE JOB...: the judge's own kernels on DEVICE (cuda, simt).
//   1. how fast inputs are made
//   2. for the task of each JOB (a job directory, of bench/make_jobs): at small sizes, whether
//   inputs
//      have the bits of the host's, whether right outputs pass and outputs with one wrong element
//      fail
//   3. at the timed sizes, what making inputs and checking one call take
// Exit code 1 where host and device disagree.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "evaluate/job.h"
#include "evaluate/oracle_code.h"
#include "sandbox/sandbox.h"
#include "verify/cases.h"
#include "verify/reference.h"

using namespace warpwright;

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30;
constexpr int kRepeats = 8;

double now_us() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Bed {
  build::Builder builder;
  device::ResolvedDevice resolved;
  std::unique_ptr<device::Device> device;
  std::filesystem::path cache;
  int disagreements = 0;
};

Result<std::vector<device::BufferId>> take_buffers(Bed& bed, const verify::Instance& instance) {
  std::vector<device::BufferId> list;
  for (const auto& argument : instance.task->arguments) {
    list.push_back(-1);
    if (!is_buffer(argument)) continue;
    WW_TRY(const auto count, element_count(argument, instance.values));
    WW_TRY(list.back(), bed.device->allocate(count * bytes_of(argument.type), argument.name));
  }
  return list;
}

void release(Bed& bed, const std::vector<device::BufferId>& buffers) {
  for (const auto buffer : buffers) {
    if (buffer >= 0) bed.device->release(buffer);
  }
}

/// Expected values as the buffers of a right kernel.
std::vector<verify::Bytes> right_outputs(const Task& task,
                                         const std::vector<verify::Expected>& expected) {
  std::vector<verify::Bytes> outputs(task.arguments.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = expected[i].native;
    const ElementType type = task.arguments[i].type;
    for (const double value : expected[i].wide) {
      std::array<std::byte, 8> bytes{};
      const auto single = static_cast<float>(value);
      const std::uint16_t half = verify::to_half_bits(single);
      const auto small = static_cast<std::int8_t>(std::clamp(std::rint(value), -128.0, 127.0));
      if (type == ElementType::f32) std::memcpy(bytes.data(), &single, 4);
      if (type == ElementType::f16) std::memcpy(bytes.data(), &half, 2);
      if (type == ElementType::i8) std::memcpy(bytes.data(), &small, 1);
      outputs[i].insert(outputs[i].end(), bytes.begin(), bytes.begin() + bytes_of(type));
    }
  }
  return outputs;
}

void disagree(Bed& bed, const verify::Case& item, std::string_view what) {
  ++bed.disagreements;
  fmt::print("  DISAGREE {}: {}\n", verify::describe(item), what);
}

Result<bool> passes(Bed& bed, verify::OracleCase& oracle,
                    const std::vector<device::BufferId>& buffers,
                    const std::vector<verify::Bytes>& outputs, std::uint64_t seed) {
  WW_CHECK(oracle.fresh_inputs(buffers, seed));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].empty()) WW_CHECK(bed.device->upload(buffers[i], outputs[i]));
  }
  WW_CHECK(oracle.check(buffers, seed, {.secret = seed + 1}));
  WW_TRY(const auto failures, oracle.collect());
  return failures.empty();
}

Status agree(Bed& bed, const verify::Oracle& oracle, const verify::Reference& reference,
             const Task& task, const verify::Case& item, const LaunchPlan* plan) {
  WW_TRY(const auto instance, verify::make_instance(task, *item.size, item.variant, 4711));
  WW_TRY(const auto made, verify::OracleCase::make(oracle, instance, plan, {}));
  WW_TRY(const auto buffers, take_buffers(bed, instance));
  WW_TRY(const auto inputs, verify::generate_inputs(instance));
  WW_CHECK(made->fresh_inputs(buffers, instance.seed));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].empty()) continue;
    verify::Bytes there(inputs[i].size());
    WW_CHECK(bed.device->download(there, buffers[i]));
    if (there != inputs[i]) disagree(bed, item, "inputs '" + task.arguments[i].name + "'");
  }
  WW_TRY(const auto expected, reference.run(instance, inputs));
  auto outputs = right_outputs(task, expected);
  WW_TRY(const bool right, passes(bed, *made, buffers, outputs, instance.seed));
  if (!right) disagree(bed, item, "right outputs fail");
  for (auto& output : outputs) {
    if (output.empty()) continue;
    output.back() ^= std::byte{0x60};  // of the last element: its sign or exponent
    WW_TRY(const auto host, verify::check_outputs(instance, inputs, expected, outputs));
    WW_TRY(const bool wrong, passes(bed, *made, buffers, outputs, instance.seed));
    if (wrong == host.has_value()) disagree(bed, item, "one wrong element");
    output.back() ^= std::byte{0x60};
  }
  release(bed, buffers);
  return {};
}

Status time_size(Bed& bed, const verify::Oracle& oracle, const Task& task, const TaskSize& size,
                 const LaunchPlan* plan) {
  WW_TRY(const auto instance, verify::make_instance(task, size, nullptr, 1));
  WW_TRY(const auto made, verify::OracleCase::make(oracle, instance, plan, {}));
  WW_TRY(const auto buffers, take_buffers(bed, instance));
  double generate_us = 0, check_us = 0;
  for (int warm = 0; warm < 2; ++warm) {
    const int repeats = warm == 0 ? 1 : kRepeats;
    WW_CHECK(made->collect());
    double start = now_us();
    for (int i = 0; i < repeats; ++i) WW_CHECK(made->fresh_inputs(buffers, 1));
    WW_CHECK(made->collect());
    generate_us = (now_us() - start) / repeats;
    start = now_us();
    for (int i = 0; i < repeats; ++i) WW_CHECK(made->check(buffers, 1, {.secret = 2}));
    WW_CHECK(made->collect());
    check_us = (now_us() - start) / repeats;
    if (check_us > 1e6) break;  // once is enough to know
  }
  WW_TRY(const auto bytes, footprint_bytes(task, size));
  fmt::print(
      "  {:<22} {:>10.1f} MB  generate {:>10.1f} us  check {:>12.1f} us  judge's memory {:.1f} "
      "MB\n",
      size.label, static_cast<double>(bytes) / 1e6, generate_us, check_us,
      static_cast<double>(made->bytes()) / 1e6);
  release(bed, buffers);
  return {};
}

Status study(Bed& bed, const Task& task) {
  fmt::print("{}\n", task.name);
  std::fflush(stdout);
  const auto& facts = bed.resolved.facts;
  double start = now_us();
  WW_TRY(const auto built,
         evaluate::build_oracle(bed.builder, task, facts, build::FrontEnd::automatic));
  fmt::print("  built in {:.2f} s", (now_us() - start) / 1e6);
  WW_TRY(const auto oracle, verify::Oracle::make(*bed.device, built.code));
  WW_TRY(const auto reference, verify::Reference::load(task, {.cache = bed.cache / "references"}));
  const bool simulated = !bed.resolved.is_cuda;
  WW_TRY(const auto cases,
         verify::cases_of(task, {.max_bytes = std::uint64_t{1} << (simulated ? 14 : 22),
                                 .max_flops = simulated ? 1e5 : 1e8,
                                 .timed_sizes = false}));
  std::vector<Values> values;
  for (const auto& item : cases) {
    WW_TRY(auto at, values_at(task, *item.size, item.variant));
    values.push_back(std::move(at));
  }
  std::vector<const TaskSize*> timed;
  for (const auto& size : task.sizes) {
    WW_TRY(const auto bytes, footprint_bytes(task, size));
    if (simulated || bytes > kMostBytes) continue;
    WW_TRY(auto at, values_at(task, size));
    values.push_back(std::move(at));
    timed.push_back(&size);
  }
  start = now_us();
  WW_TRY(const auto plans, evaluate::record_reference(bed.builder, built, task, values, facts));
  fmt::print(", {} plans in {:.2f} s, {} cases compared\n", plans.size(), (now_us() - start) / 1e6,
             cases.size());
  const auto plan = [&](std::size_t i) { return plans.empty() ? nullptr : &plans[i]; };
  for (std::size_t i = 0; i < cases.size(); ++i)
    WW_CHECK(agree(bed, oracle, reference, task, cases[i], plan(i)));
  for (std::size_t i = 0; i < timed.size(); ++i)
    WW_CHECK(time_size(bed, oracle, task, *timed[i], plan(cases.size() + i)));
  return {};
}

/// Gigabytes a second of single distributions.
Status bandwidth(Bed& bed) {
  for (const char* distribution : {"normal(0, 1)", "uniform(-1, 1)", "bits()", "ints(0, 255)",
                                   "normal(0, 1) | row_drift(4096, 0.5, 1.5)", "permutation()"}) {
    for (const auto type : {ElementType::f32, ElementType::f16}) {
      Task task;
      task.name = "bandwidth";
      task.arguments = {{"x", type, ArgumentRole::inout, "n", distribution}};
      task.check.rule = "order_multiset";
      const TaskSize size{"n", {{"n", bed.resolved.is_cuda ? 0x1p28 : 0x1p14}}};
      WW_TRY(const auto built, evaluate::build_oracle(bed.builder, task, bed.resolved.facts,
                                                      build::FrontEnd::automatic));
      WW_TRY(const auto oracle, verify::Oracle::make(*bed.device, built.code));
      WW_TRY(const auto instance, verify::make_instance(task, size, nullptr, 1));
      WW_TRY(const auto made, verify::OracleCase::make(oracle, instance, nullptr, {.keep = false}));
      WW_TRY(const auto buffers, take_buffers(bed, instance));
      WW_CHECK(made->fresh_inputs(buffers, 1));
      WW_CHECK(made->collect());
      const double start = now_us();
      for (int i = 0; i < kRepeats; ++i) WW_CHECK(made->fresh_inputs(buffers, 1));
      WW_CHECK(made->collect());
      const double us = (now_us() - start) / kRepeats;
      fmt::print("{:<44} {}  {:8.1f} GB/s  {:10.1f} us\n", distribution, name_of(type),
                 size.values.at("n") * static_cast<double>(bytes_of(type)) / us / 1e3, us);
      std::fflush(stdout);
      release(bed, buffers);
    }
  }
  return {};
}

Status run(const std::string& device, const std::filesystem::path& cache,
           const std::vector<std::string>& jobs) {
  WW_TRY(auto box, sandbox::Sandbox::open());
  WW_TRY(auto builder, build::Builder::create(box, build::find_toolchain(), {.cache = cache}));
  const auto name = DeviceName::named(device);
  if (!name) return Error{fmt::format("'{}' is no device:{}", device, DeviceName::spelt_out())};
  WW_TRY(const auto resolved, device::resolve_device({.device = *name, .checks = "fast"}));
  WW_TRY(auto opened, device::open_device(resolved, 60));
  Bed bed{std::move(builder), resolved, std::move(opened), cache};
  fmt::print("{}\n", bed.device->info().description);
  WW_CHECK(bandwidth(bed));
  for (const auto& job : jobs) {
    WW_TRY(const auto request, evaluate::JobDirectory(job).read_request());
    WW_CHECK(study(bed, request.task));
  }
  fmt::print("{} disagreements\n", bed.disagreements);
  if (bed.disagreements > 0) return Error{"host and device disagree"};
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: oracle_study DEVICE CACHE JOB...\n");
    return 2;
  }
  const Status status = run(argv[1], argv[2], {argv + 3, argv + argc});
  if (status.ok()) return 0;
  fmt::print(stderr, "oracle_study: {}\n", status.error().message);
  return 1;
}
