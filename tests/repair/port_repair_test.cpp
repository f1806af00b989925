// SPDX-License-Identifier: Apache-2.0
// A port that the rules cannot finish, the judge of its repairs, and what a model is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/files.h"
#include "repair/port_composer.h"
#include "repair/port_judge.h"
#include "support/places.h"

namespace warpwright::repair {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// No rule has this instruction, which rounds towards zero.
constexpr const char* kStatement =
    R"(asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"((float)v + 0.75f));)";
constexpr const char* kRight = "r = (unsigned)((float)v + 0.75f);";
constexpr const char* kWrong = "r = (unsigned)((float)v + 1.25f);";

std::string program_text(const std::string& body) {
  return R"(#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(const unsigned* in, unsigned* out) {
  const unsigned v = in[threadIdx.x];
  unsigned r;
  )" + body +
         R"(
  out[threadIdx.x] = r;
}
int main() {
  unsigned host[64];
  for (int i = 0; i < 64; ++i) host[i] = i * 37u;
  unsigned *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("last %u\n", host[63]);
  return 0;
}
)";
}

class PortRepair : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::create("port-repair-");
    ASSERT_TRUE(made.ok());
    folder_ = std::make_unique<TemporaryDirectory>(std::move(*made));
    const fs::path in = folder_->path() / "in";
    ASSERT_TRUE(make_directories(in).ok());
    ASSERT_TRUE(write_file(in / "main.cu", program_text(kStatement)).ok());
    auto project = port::carry_over({in / "main.cu", folder_->path() / "out"});
    ASSERT_TRUE(project.ok()) << project.error().message;
    proof_.project = std::move(*project);
    proof_.targets = {"gfx1100"};
    proof_.file = "main.cu";
  }

  /// Nothing where the tools are not here.
  std::unique_ptr<PortJudge> judge() {
    const auto tools = port::find_port_tools();
    if (tools.clang.empty() || tools.hip_include.empty() || tools.device_libraries.empty())
      return nullptr;
    auto sandbox = sandbox::Sandbox::open();
    if (!sandbox.ok()) return nullptr;
    auto builder = build::Builder::create(*sandbox, build::find_toolchain(),
                                          {.cache = build_path("/tests/flops_cache")});
    if (!builder.ok()) return nullptr;
    return std::make_unique<PortJudge>(proof_, std::move(*builder));
  }
  static Evaluation verdict_of(PortJudge& judge, const std::string& source) {
    const StopSignal stop;
    auto evaluation = judge.evaluate({.id = "one", .source = source}, stop);
    EXPECT_TRUE(evaluation.ok()) << evaluation.error().message;
    return evaluation.ok() ? *evaluation : Evaluation{};
  }
  /// The port with another body.
  std::string port_with(const std::string& body) {
    auto text = read_file(proof_.project.folder / "main.cu");
    EXPECT_TRUE(text.ok());
    const std::size_t begin = text->find("asm"), end = text->find(';', text->find("0.75f"));
    EXPECT_NE(end, std::string::npos) << *text;
    if (end != std::string::npos) text->replace(begin, end - begin + 1, body);
    return *text;
  }

  PortProof proof_;
  std::unique_ptr<TemporaryDirectory> folder_;
};

TEST_F(PortRepair, WhatTheRulesLeftIsSaidWithItsLine) {
  ASSERT_FALSE(proof_.project.findings.unmapped.empty());
  PortComposer composer({"main.cu",
                         program_text(kStatement),
                         port::Direction::to_hip,
                         {"gfx90a", "gfx1100"},
                         proof_.project.findings});
  const auto messages = composer.initial();
  ASSERT_TRUE(messages.ok());
  const std::string& text = messages->back().text;
  EXPECT_THAT(text, HasSubstr("line 6"));
  EXPECT_THAT(text, HasSubstr("gfx90a, gfx1100"));
  EXPECT_THAT(text, HasSubstr("32 lanes and 64 lanes"));
}

TEST_F(PortRepair, ARepairIsAskedInTheDialogueWithTheCompilersWords) {
  PortComposer composer({"main.cu", "original", port::Direction::to_hip, {"gfx90a"}, {}});
  search::Trial failed;
  failed.proposal.messages = *composer.initial();
  failed.reply = "```\nfirst try\n```";
  failed.evaluation.verdict = Verdict::compile_error;
  failed.evaluation.reason = "it does not compile for gfx90a";
  failed.evaluation.feedback = "main.cu:6:3: error: unknown instruction";
  const auto messages = composer.repair(failed);
  ASSERT_TRUE(messages.ok());
  EXPECT_EQ(messages->size(), failed.proposal.messages.size() + 2);
  EXPECT_THAT(messages->back().text, HasSubstr("unknown instruction"));
  EXPECT_FALSE(composer.optimise(failed, {}).ok());
}

TEST(FileInReply, IsTheLongestBlock) {
  llm::Reply reply;
  reply.finish_reason = "stop";
  reply.text = "So:\n```\nshort\n```\nand\n```cpp\nint main() { return 0; }\n```\n";
  EXPECT_EQ(file_in_reply(reply).source, "int main() { return 0; }\n");
  reply.text = "I cannot.";
  EXPECT_THAT(file_in_reply(reply).reason, HasSubstr("no fenced code block"));
  reply.text = "```cpp\nint main() {";
  reply.finish_reason = "length";
  EXPECT_THAT(file_in_reply(reply).reason, HasSubstr("cut"));
}

TEST_F(PortRepair, OnlyWhatCompilesAndDoesTheSameHolds) {
  const auto compiler = judge();
  if (compiler == nullptr)
    GTEST_SKIP() << "clang 19, HIP's headers or device libraries are missing";
  const std::string unfinished = *read_file(proof_.project.folder / "main.cu");
  const Evaluation refused = verdict_of(*compiler, unfinished);
  EXPECT_EQ(refused.verdict, Verdict::compile_error) << refused.reason;
  EXPECT_THAT(refused.feedback, HasSubstr("main.cu"));
  EXPECT_THAT(refused.feedback, Not(HasSubstr(folder_->path().string())));
  EXPECT_EQ(verdict_of(*compiler, port_with(kRight)).verdict, Verdict::ok);
  proof_.on_cpu = true;
  const auto runner = judge();
  EXPECT_EQ(verdict_of(*runner, port_with(kRight)).verdict, Verdict::ok);
  const Evaluation wrong = verdict_of(*runner, port_with(kWrong));
  EXPECT_EQ(wrong.verdict, Verdict::mismatch) << wrong.reason << wrong.feedback;
  EXPECT_THAT(wrong.feedback, HasSubstr("last"));
}

// Right bytes in the right place, computed on the host.
TEST_F(PortRepair, AHostThatDoesTheKernelsWorkIsNoPort) {
  proof_.on_cpu = true;
  const auto runner = judge();
  if (runner == nullptr) GTEST_SKIP() << "clang 19, HIP's headers or device libraries are missing";
  std::string text = port_with(kRight);
  const std::size_t begin = text.find("k<<<"), end = text.find(';', begin);
  ASSERT_NE(begin, std::string::npos) << text;
  text.replace(begin, end - begin + 1,
               "for (int i = 0; i < 64; ++i) host[i] = (unsigned)((float)host[i] + 0.75f);\n"
               "  hipMemcpy(out, host, sizeof host, hipMemcpyHostToDevice);");
  const Evaluation fooled = verdict_of(*runner, text);
  EXPECT_EQ(fooled.verdict, Verdict::mismatch) << fooled.reason << fooled.feedback;
  EXPECT_THAT(fooled.feedback, HasSubstr("launches 0 kernels instead of 1"));
}

}  // namespace
}  // namespace warpwright::repair
