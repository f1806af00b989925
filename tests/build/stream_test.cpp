// SPDX-License-Identifier: Apache-2.0
// A last parameter `cudaStream_t stream`: whose work is ordered with the caller's.
#include <cstdlib>

#include "build/libraries.h"
#include "build/workbench.h"

namespace warpwright::build {
namespace {

class StreamTest : public Workbench {
 protected:
  void SetUp() override {
    if (lacks(FrontEnd::clang)) GTEST_SKIP() << "no clang";
  }

  /// solve(const float* x, float* y, int n, cudaStream_t stream) with this body.
  static RecordOutcome recorded_body(const std::string& body, const std::string& before = "") {
    BuildRequest wanted = request(
        "#include <cuda_runtime.h>\n"
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }\n" +
        before +
        "extern \"C\" void solve(const float* x, float* y, int n, cudaStream_t stream) {\n" + body +
        "}\n");
    const SolveArgument stream{true, ElementType::f32, true};
    wanted.arguments.push_back(stream);
    wanted.signature =
        "extern \"C\" void solve(const float* x, float* y, int n, cudaStream_t stream)";
    const BuildOutcome built = build(wanted);
    EXPECT_EQ(built.verdict, Verdict::ok) << built.reason;
    if (built.verdict != Verdict::ok) return {};
    RecordRequest record_request = calls({64, 100});
    record_request.arguments.push_back(stream);
    auto outcome = record(builder(), built, record_request);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? std::move(*outcome) : RecordOutcome{};
  }

  static void expect_refused(const std::string& body, std::string_view part,
                             const std::string& before = "") {
    const auto outcome = recorded_body(body, before);
    EXPECT_EQ(outcome.verdict, Verdict::host_error) << body;
    EXPECT_NE(outcome.reason.find(part), std::string::npos) << outcome.reason;
  }
};

TEST_F(StreamTest, WorkOnTheCallersStreamIsRecorded) {
  const auto outcome = recorded_body(
      "  cudaMemsetAsync(y, 0, n * 4, stream);\n  k<<<(n + 63) / 64, 64, 0, stream>>>(x, y, n);\n");
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  ASSERT_EQ(outcome.plans.size(), 2U);
  EXPECT_EQ(steps_of<KernelLaunch>(outcome.plans[0]).size(), 1U);
}

TEST_F(StreamTest, WorkOnTheDefaultStreamIsNot) {
  expect_refused("  k<<<(n + 63) / 64, 64>>>(x, y, n);\n", "does not wait for it");
  expect_refused("  cudaMemset(y, 0, n * 4);\n  k<<<(n + 63) / 64, 64, 0, stream>>>(x, y, n);\n",
                 "does not wait for it");
}

TEST_F(StreamTest, AnotherStreamForksAndJoins) {
  const std::string head =
      "  cudaStream_t side; cudaEvent_t begin, end;\n"
      "  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);\n"
      "  cudaEventCreate(&begin); cudaEventCreate(&end);\n";
  const std::string fork =
      "  cudaEventRecord(begin, stream); cudaStreamWaitEvent(side, begin, 0);\n";
  const std::string launch = "  k<<<(n + 63) / 64, 64, 0, side>>>(x, y, n);\n";
  const std::string join = "  cudaEventRecord(end, side); cudaStreamWaitEvent(stream, end, 0);\n";
  EXPECT_EQ(recorded_body(head + fork + launch + join).verdict, Verdict::ok);
  expect_refused(head + launch + join, "does not wait for it");
  expect_refused(head + fork + launch, "is not joined");
  EXPECT_EQ(recorded_body(head + fork + launch + "  cudaStreamSynchronize(side);\n").verdict,
            Verdict::ok)
      << "the host has waited";
}

TEST_F(StreamTest, TheStreamOfAnEarlierCallIsNotTheCallers) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "needs WARPWRIGHT_SLOW_TESTS";
  expect_refused(
      "  if (first == nullptr) first = stream;\n"
      "  k<<<(n + 63) / 64, 64, 0, first>>>(x, y, n);\n",
      "", "static cudaStream_t first = nullptr;\n");
}

TEST_F(StreamTest, LibrariesAreReadOnlyAndNamed) {
  const auto folder = TemporaryDirectory::create("warpwright-library-");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(make_directories(folder->path() / "mini").ok());
  ASSERT_TRUE(write_file(folder->path() / "mini" / "copy.h",
                         "template <class T> __device__ T same(T v) { return v; }\n")
                  .ok());
  std::filesystem::permissions(folder->path(), std::filesystem::perms(0755));
  BuildRequest wanted = request(
      "#include <cuda_runtime.h>\n#include <mini/copy.h>\n"
      "__global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = same(x[i]); }\n"
      "extern \"C\" void solve(const float* x, float* y, int n) { k<<<1, 64>>>(x, y, n); }\n");
  EXPECT_EQ(build(wanted).verdict, Verdict::compile_error);
  wanted.include = {folder->path()};
  const BuildOutcome outcome = build(wanted);
  EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  EXPECT_NE(outcome.libraries.find(folder->path().string()), std::string::npos);
  const std::string before = outcome.libraries;
  ASSERT_TRUE(write_file(folder->path() / "mini" / "copy.h",
                         "template <class T> __device__ T same(T v) { return -v; }\n")
                  .ok());
  EXPECT_NE(build(wanted).libraries, before) << "another content is another library";
}

TEST(Libraries, FoldersOfMoreThanLibrariesAreRefused) {
  for (const char* folder :
       {"/", "/etc", "/etc/ssl", "/proc", "relative/path", "/no/such/folder"}) {
    EXPECT_FALSE(describe_libraries({folder}).ok()) << folder;
  }
  EXPECT_EQ(*describe_libraries({}), "");
}

}  // namespace
}  // namespace warpwright::build
