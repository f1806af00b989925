// SPDX-License-Identifier: Apache-2.0
// Verdicts of the real judge, on the SIMT machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Judged : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the SIMT machine is slow under AddressSanitizer; the release build runs this";
#endif
    if (!find_program("clang-19").ok()) GTEST_SKIP() << "clang-19 is not installed";
  }

  ProcessExit eval(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "eval");
    arguments.insert(arguments.end(),
                     {"--device", "simt", "--front-end", "clang", "--trial-limit", "15m"});
    Command command = program_.command(std::move(arguments));
    command.limits.wall = std::chrono::minutes(16);
    return run_process(command).value();
  }

  Program program_;
};

/// Replaces the only place of `from`.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_F(Judged, ABaselineThatFailsShowsItsErrorAndWhatIsAllowed) {
  ASSERT_EQ(program_.run({"new", "mine"}).exit_code, 0);
  const std::string right = read_file(program_.folder() / "mine/baseline.cu").value();
  program_.write("right.cu", right);
  program_.write("mine/baseline.cu", with(right, "= alpha", "= 1.001f * alpha"));
  program_.write("mine/reference.cpp",
                 "void reference(const float* x, const float* y, double* out, float alpha, int n) "
                 "{\n  for (long i = 0; i < n; ++i) out[i] = double(alpha) * x[i] + y[i];\n}\n");
  const auto exit = eval({"./mine", "right.cu", "--sizes", "2^20"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_THAT(exit.out, AllOf(StartsWith("ok at stage measure"),
                              HasSubstr("no speed-up: the task's own baseline got the verdict "),
                              HasSubstr("The error at index "), HasSubstr(" is allowed.")));
}

TEST_F(Judged, TheVerdictIsTheSameBesideFourBusyProcesses) {
  // Blocks that wait for each other: what takes long must not be called stuck.
  const std::vector<std::string> one = {
      "dot", source_path("/kernels/dot.cu"), "--sizes", "2^16", "--no-baseline", "--json", "-q"};
  const auto verdict = [&] {
    const auto exit = eval(one);
    const auto result = nlohmann::json::parse(exit.out, nullptr, false);
    return result.is_object() ? result["verdict"].get<std::string>() : exit.out + exit.err;
  };
  EXPECT_EQ(verdict(), "ok");
  StopSignal stop;
  std::vector<std::jthread> busy;
  for (int i = 0; i < 4; ++i) {
    busy.emplace_back([&] {
      Command spin = program_.command({});
      spin.argv = {"sha256sum", "/dev/zero"};
      spin.limits.wall = std::chrono::minutes(20);
      (void)run_process(spin, &stop);
    });
  }
  EXPECT_EQ(verdict(), "ok");
  stop.request(StopReason::finished);
}

}  // namespace
}  // namespace warpwright::cli
