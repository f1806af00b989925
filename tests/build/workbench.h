// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/files.h"
#include "build/compiler.h"
#include "build/record.h"

namespace warpwright::build {

/// Real compilers and a real sandbox, with one cache for the whole test program.
class Workbench : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (shared() != nullptr) return;
    const auto box = sandbox::Sandbox::open();
    ASSERT_TRUE(box.ok()) << box.error().message;
    auto folder = TemporaryDirectory::create("warpwright-test-");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    auto builder = Builder::create(*box, find_toolchain(), {.cache = folder->path() / "cache"});
    ASSERT_TRUE(builder.ok()) << builder.error().message;
    shared() = std::make_unique<Shared>(Shared{std::move(*folder), std::move(*builder)});
  }

  static const Builder& builder() { return shared()->builder; }
  static std::filesystem::path cache() { return shared()->folder.path() / "cache"; }

  /// Skips the test, saying why, where the machine lacks the compiler.
  static bool lacks(FrontEnd front_end) {
    if (shared() != nullptr && builder().tools().supports(front_end)) return false;
    std::printf("skipped: no %s on this machine\n", std::string(name_of(front_end)).c_str());
    return true;
  }

  /// solve(const float* x, float* y, int n)
  static BuildRequest request(std::string source, FrontEnd front_end = FrontEnd::clang) {
    BuildRequest wanted;
    wanted.source = std::move(source);
    wanted.arguments = {{}, {}, {false, ElementType::i32}};
    wanted.target = *known_device("h200");
    wanted.front_end = front_end;
    wanted.assemble = false;
    return wanted;
  }

  static SolveCall call(std::int64_t n) {
    return {{{.buffer_bytes = static_cast<std::uint64_t>(n) * 4},
             {.buffer_bytes = static_cast<std::uint64_t>(n) * 4},
             {.integer = n}}};
  }

  static RecordRequest calls(std::initializer_list<std::int64_t> sizes) {
    RecordRequest wanted;
    wanted.arguments = {{}, {}, {false, ElementType::i32}};
    wanted.target = *known_device("h200");
    for (const auto n : sizes) wanted.calls.push_back(call(n));
    return wanted;
  }

  static BuildOutcome build(const BuildRequest& wanted) {
    auto outcome = builder().build(wanted);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? std::move(*outcome) : BuildOutcome{};
  }

  /// Builds and records; the build must succeed.
  static RecordOutcome recorded(const std::string& source,
                                std::initializer_list<std::int64_t> sizes,
                                FrontEnd front_end = FrontEnd::clang) {
    const BuildOutcome built = build(request(source, front_end));
    EXPECT_EQ(built.verdict, Verdict::ok) << built.reason;
    if (built.verdict != Verdict::ok) return {};
    auto outcome = record(builder(), built, calls(sizes));
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? std::move(*outcome) : RecordOutcome{};
  }

  template <class Step>
  static std::vector<Step> steps_of(const LaunchPlan& plan) {
    std::vector<Step> found;
    for (const auto& step : plan.steps) {
      if (const auto* wanted = std::get_if<Step>(&step)) found.push_back(*wanted);
    }
    return found;
  }

 private:
  struct Shared {
    TemporaryDirectory folder;
    Builder builder;
  };
  static std::unique_ptr<Shared>& shared() {
    static std::unique_ptr<Shared> instance;
    return instance;
  }
};

}  // namespace warpwright::build
