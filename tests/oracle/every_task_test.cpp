// SPDX-License-Identifier: Apache-2.0
// For every built-in task: references on the device agree with those on the host, and checks on the
// device decide as the host's rules do, on right outputs and on wrong ones.
#include <fmt/format.h>

#include <cmath>

#include "oracle/oracle_bed.h"

namespace warpwright::verify {
namespace {

constexpr std::uint64_t kSeed = 20240607;

class EveryTask : public ::testing::TestWithParam<std::string> {};

Status put_outputs(device::Device& device, std::span<const device::BufferId> buffers,
                   const std::vector<Bytes>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].empty()) WW_CHECK(device.upload(buffers[i], outputs[i]));
  }
  return {};
}

/// What both say of these outputs.
void compare_verdicts(OracleBed& bed, OracleCase& oracle, const CaseData& data,
                      std::span<const device::BufferId> buffers, const std::vector<Bytes>& outputs,
                      std::string_view what) {
  const std::uint64_t seed = data.instance.seed;
  ASSERT_TRUE(oracle.fresh_inputs(buffers, seed).ok());
  ASSERT_TRUE(put_outputs(bed.device(), buffers, outputs).ok());
  const Status checked = oracle.check(buffers, seed, {.secret = seed ^ 0xABCDEF});
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  const auto failures = must(oracle.collect());
  const auto host = must(check_outputs(data.instance, data.inputs, data.expected, outputs));
  const std::string where =
      fmt::format("{}, {}: {}", data.instance.task->name,
                  describe({data.instance.size, data.instance.variant}), what);
  EXPECT_EQ(host.has_value(), !failures.empty()) << where << (host ? "\n" + host->message : "");
  if (host && !failures.empty()) {
    const auto said = must(oracle.explain(failures.front()));
    EXPECT_EQ(said.verdict, host->verdict) << where << "\n" << said.message;
    EXPECT_FALSE(said.message.empty()) << where;
  }
}

std::vector<Case> few_cases(const Task& task) {
  // The machine runs a hundred million instructions a second: small cases, and all variants.
  const CaseLimits limits{
      .max_bytes = 1 << 15, .max_flops = 3e5, .timed_sizes = false, .sizes_per_variant = 1};
  return must(cases_of(task, limits));
}

TEST_P(EveryTask, DecidesAsTheHost) {
  const auto task = must(suite::load_embedded_task(GetParam()));
  ASSERT_TRUE(has_device_checks(task));
  const auto reference = load_reference(task);
  auto mutations = general_mutations(task);
  for (auto& special : special_mutations(task)) mutations.push_back(std::move(special));
  OracleBed bed(task);
  std::size_t number = 0;
  for (const auto& item : few_cases(task)) {
    const auto data = make_case(task, reference, item, kSeed + number);
    const auto oracle = bed.open(data.instance);
    const auto buffers = bed.buffers(data.instance);
    compare_verdicts(bed, *oracle, data, buffers, data.honest, "right");
    // Every mutation in some case, three in each.
    for (std::size_t k = number % 8; k < mutations.size(); k += 8) {
      const auto outputs = mutations[k].mutate(data);
      if (outputs) compare_verdicts(bed, *oracle, data, buffers, *outputs, mutations[k].name);
    }
    for (const auto buffer : buffers) bed.device().release(buffer);
    ++number;
  }
}

INSTANTIATE_TEST_SUITE_P(Suite, EveryTask, ::testing::ValuesIn(tasks_here()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warpwright::verify
