// SPDX-License-Identifier: Apache-2.0
// For every built-in task, through the checks that a GPU runs: a kernel that is wrong in one
// element, only at sizes of one class, only for one distribution, or only for one value of a
// scalar, is rejected there.
#include <fmt/format.h>

#include <set>

#include "oracle/oracle_bed.h"
#include "verify/class_cases.h"

namespace warpwright::verify {
namespace {

constexpr std::uint64_t kClassSeed = 4711;
constexpr std::size_t kPerClass = 2;
constexpr std::size_t kDistributions = 8;

/// Of a judgement's cases a few of each class, and some of each kind of inputs.
std::vector<Case> chosen_cases(const CaseSet& set) {
  std::map<SizeClass, std::size_t> of_class;
  std::set<const InputVariant*> inputs;
  std::vector<Case> chosen;
  // The largest come last, and count most.
  for (auto item = set.cases.rbegin(); item != set.cases.rend(); ++item) {
    const bool few = of_class[item->size_class] < kPerClass;
    const bool other = inputs.size() < kDistributions && !inputs.contains(item->variant);
    if (!few && !other) continue;
    ++of_class[item->size_class];
    inputs.insert(item->variant);
    chosen.push_back(*item);
  }
  return chosen;
}

/// One task's oracle on the SIMT machine, with the reference recorded for all cases at once.
class ClassBed {
 public:
  ClassBed(const Task& task, const std::vector<CaseData>& cases) : bed_(task) {
    std::vector<Values> values;
    for (const CaseData& data : cases) values.push_back(data.instance.values);
    plans_ = bed_.record(values);
  }

  /// What the device says of these outputs of a case; nothing where it accepts them.
  std::optional<Mismatch> verdict_on(const CaseData& data, std::size_t number,
                                     const std::vector<Bytes>& outputs) {
    if (number != open_ || oracle_ == nullptr) {
      release();
      oracle_ = bed_.open(data.instance, plans_.empty() ? nullptr : &plans_[number]);
      buffers_ = bed_.buffers(data.instance);
      open_ = number;
    }
    const std::uint64_t seed = data.instance.seed;
    EXPECT_TRUE(oracle_->fresh_inputs(buffers_, seed).ok());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].empty()) continue;
      EXPECT_TRUE(bed_.device().upload(buffers_[i], outputs[i]).ok());
    }
    const Status checked = oracle_->check(buffers_, seed, {.secret = seed ^ 0xABCDEF});
    EXPECT_TRUE(checked.ok()) << checked.error().message;
    const auto failures = must(oracle_->collect());
    if (failures.empty()) return std::nullopt;
    return must(oracle_->explain(failures.front()));
  }
  ~ClassBed() { release(); }
  ClassBed(const ClassBed&) = delete;
  ClassBed& operator=(const ClassBed&) = delete;

 private:
  void release() {
    oracle_.reset();
    for (const auto buffer : buffers_) bed_.device().release(buffer);
    buffers_.clear();
  }

  OracleBed bed_;
  std::vector<LaunchPlan> plans_;
  std::size_t open_ = 0;
  std::unique_ptr<OracleCase> oracle_;
  std::vector<device::BufferId> buffers_;
};

std::string where(const CaseData& data, const Case& item) {
  return fmt::format("{}, {}, {}", data.instance.task->name, name_of(item.size_class),
                     describe(item));
}

/// An element of each output that the reference does not leave open.
void expect_one_element_seen(ClassBed& bed, const CaseData& data, std::size_t number,
                             const Case& item, SecretDraws& draws) {
  const auto& arguments = data.instance.task->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_output(arguments[i])) continue;
    const std::size_t k = draws.below(data.honest[i].size() / bytes_of(arguments[i].type));
    if (k < data.expected[i].wide.size() && std::isnan(data.expected[i].wide[k])) continue;
    const auto said = bed.verdict_on(data, number, with_unwritten(data, i, k, draws));
    ASSERT_TRUE(said) << where(data, item) << ": '" << arguments[i].name << "' at " << k;
    EXPECT_EQ(said->argument, arguments[i].name) << where(data, item);
    EXPECT_TRUE(said->wrong != 1 || said->first.empty() || said->first.front().index == k)
        << where(data, item);
  }
}

/// A kernel that takes a scalar for the one that the first timed size has, where that is another.
void expect_scalars_read(ClassBed& bed, const CaseData& data, std::size_t number, const Case& item,
                         std::map<std::string, int>& seen) {
  const Task& task = *data.instance.task;
  const auto timed = values_at(task, task.sizes.front()).value();
  for (const TaskArgument& argument : task.arguments) {
    if (is_buffer(argument) || !is_floating(argument.type)) continue;
    const double listed = timed.at(argument.name);
    if (data.instance.values.at(argument.name) == listed) continue;
    const auto outputs = outputs_with(data, data.inputs, {{argument.name, listed}});
    const bool wrong = rejects(data, outputs);
    EXPECT_EQ(bed.verdict_on(data, number, outputs).has_value(), wrong)
        << where(data, item) << ": " << argument.name;
    seen[argument.name] += wrong;
  }
}

class DeviceChecksOf : public ::testing::TestWithParam<std::string> {};

TEST_P(DeviceChecksOf, EveryClassRejectsItsMutants) {
  const Task task = with_small_sizes(suite::load_embedded_task(GetParam()).value());
  const auto reference = load_reference(task);
  DrawLimits limits = class_limits(100);
  limits.drawn.max_bytes = std::uint64_t{64} << 10;
  limits.drawn.max_work = 5e5;
  const auto set = draw_cases(task, kClassSeed, limits).value();
  const auto chosen = chosen_cases(set);
  std::vector<CaseData> cases;
  SecretDraws draws(kClassSeed, "elements");
  for (const Case& item : chosen) cases.push_back(make_case(task, reference, item, draws.bits()));
  ClassBed bed(task, cases);
  std::set<SizeClass> classes;
  std::map<std::string, int> scalars;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto right = bed.verdict_on(cases[i], i, cases[i].honest);
    EXPECT_FALSE(right) << where(cases[i], chosen[i]) << ": " << right->message;
    expect_one_element_seen(bed, cases[i], i, chosen[i], draws);
    expect_scalars_read(bed, cases[i], i, chosen[i], scalars);
    classes.insert(chosen[i].size_class);
  }
  for (const auto& [name, count] : scalars) EXPECT_GE(count, 1) << task.name << ": " << name;
  for (const SizeClass size_class : {SizeClass::edge, SizeClass::tiny, SizeClass::small,
                                     SizeClass::between, SizeClass::above, SizeClass::timed})
    EXPECT_TRUE(classes.contains(size_class)) << task.name << ": " << name_of(size_class);
}

INSTANTIATE_TEST_SUITE_P(Suite, DeviceChecksOf, ::testing::ValuesIn(tasks_here()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warpwright::verify
