// SPDX-License-Identifier: Apache-2.0
// What a judgement on the SIMT machine tries: each line below is something that a kernel can be
// wrong for and nothing else, and every judgement must meet it, whatever its seed.
#include "evaluate/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "evaluate/judgement.h"
#include "suite/load.h"

namespace warpwright::evaluate {
namespace {

/// What is tried for one seed; the task's sizes are all timed.
class Chosen {
 public:
  Chosen(const std::string& task, std::uint64_t seed) {
    JobRequest request;
    request.id = "test";
    request.task = suite::load_embedded_task(task).value();
    request.device = "simt";
    request.front_end = "clang";
    prepared_.source = std::make_shared<const Source>(Source{request});
    prepared_.target.facts = *known_device("h200");
    prepared_.seed = seed;
    Station station;
    const StopSignal stop;
    Context context = make_context(request, "none", station, stop);
    const Status status = choose_work(prepared_, context);
    EXPECT_TRUE(status.ok()) << status.error().message;
  }

  /// Whether a case has such values, and inputs of this name; "": the declared ones.
  [[nodiscard]] bool has(std::string_view inputs,
                         const std::function<bool(const Values&)>& fits) const {
    return std::any_of(prepared_.cases.begin(), prepared_.cases.end(), [&](const auto& item) {
      const bool same = item.variant == nullptr ? inputs.empty() : item.variant->name == inputs;
      return same && fits(values_at(prepared_.task(), *item.size).value());
    });
  }

  [[nodiscard]] const Prepared& prepared() const { return prepared_; }

 private:
  Prepared prepared_;
};

std::uint64_t seeds() { return std::getenv("WARPWRIGHT_SLOW_TESTS") != nullptr ? 300 : 25; }

void expect_met(const std::string& task, std::string_view inputs,
                const std::function<bool(const Values&)>& fits) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    EXPECT_TRUE(Chosen(task, seed).has(inputs, fits))
        << task << ", inputs '" << inputs << "', seed " << seed;
  }
}

TEST(DrawnWork, SizesAboveAllJudgedOnes) {
  expect_met("reduce", "", [](const Values& v) { return v.at("N") > 1 << 20; });
}

TEST(DrawnWork, LargeOddSizes) {
  expect_met("reduce", "", [](const Values& v) {
    return v.at("N") > 65537 && v.at("N") != 1000003 && std::fmod(v.at("N"), 2) == 1;
  });
}

TEST(DrawnWork, ScalarsBeyondListedOnes) {
  expect_met("histogram", "", [](const Values& v) {
    return v.at("num_bins") > 257 && v.at("num_bins") != 1000 && v.at("num_bins") != 1024;
  });
  expect_met("rope", "", [](const Values& v) { return v.at("Dh") > 64 && v.at("Dh") < 128; });
}

TEST(DrawnWork, KindsOfInputsAboveTheEdgeSizes) {
  const auto above = [](const Values& v) { return v.at("N") > 65537 && v.at("N") < 262144; };
  expect_met("sigmoid", "saturated", above);
  expect_met("sigmoid", "infinite", above);
  expect_met("relu", "denormals_in_input",
             [](const Values& v) { return v.at("N") > 65537 && v.at("N") < 1000003; });
  expect_met("topk", "equal", [](const Values& v) { return v.at("N") > 65537 && v.at("k") > 1; });
  expect_met("histogram", "one_bin", [](const Values& v) { return v.at("N") >= 1 << 18; });
}

TEST(DrawnWork, KindsOfInputsAtLongRows) {
  const auto is_long = [](const Values& v) { return v.at("C") >= 16384; };
  expect_met("layernorm", "offset_rows", is_long);
  expect_met("layernorm", "one_outlier", is_long);
}

TEST(DrawnWork, ProbesOfLongSums) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const Chosen chosen("matmul", seed);
    const auto is_long = [](const Values& v) { return v.at("K") > 131; };
    EXPECT_TRUE(chosen.has("intprobe", is_long) || chosen.has("picked_rows", is_long) ||
                chosen.has("identity", is_long))
        << seed;
  }
}

/// At a size that nobody knows every kind is tried: those of the task, and one of each pattern's.
TEST(DrawnWork, EveryVariantAtADrawnSize) {
  for (const std::string name : {"relu", "reduce", "topk", "rope", "layernorm"}) {
    const Chosen chosen(name, 7);
    const auto& drawn = chosen.prepared().drawn;
    for (const InputVariant& variant : chosen.prepared().task().variants) {
      const auto& cases = chosen.prepared().cases;
      EXPECT_TRUE(variant.when != "1" ||
                  std::any_of(cases.begin(), cases.end(),
                              [&](const verify::Case& item) {
                                return item.variant == &variant &&
                                       std::any_of(drawn.begin(), drawn.end(), [&](const auto& d) {
                                         return d.get() == item.size;
                                       });
                              }))
          << name << " " << variant.name;
    }
  }
}

/// All that was drawn is held against the declared inputs as well.
TEST(DrawnWork, DeclaredInputsAtEveryDrawnSize) {
  for (const std::string name : {"histogram", "rope", "matmul"}) {
    const Chosen chosen(name, 11);
    std::size_t without = 0;
    for (const auto& size : chosen.prepared().drawn)
      without += has_case(chosen.prepared().cases, *size) ? 0 : 1;
    // Those for the kinds of inputs, which have all of them.
    EXPECT_LE(without, 2U) << name;
  }
}

}  // namespace
}  // namespace warpwright::evaluate
