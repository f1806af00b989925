// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <optional>

#include "build/workbench.h"
#include "core/launch_plan_order.h"

namespace warpwright::build {
namespace {

class RecordTest : public Workbench {
 protected:
  void SetUp() override {
    if (lacks(FrontEnd::clang)) GTEST_SKIP() << "no clang";
  }

  /// The kernel that most candidates here share.
  static std::string with_kernel(const std::string& host) {
    return "#include <cuda_runtime.h>\n"
           "__global__ void k(const float* x, float* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }\n" +
           host;
  }

  static RecordOutcome refused(const std::string& host, Verdict verdict, std::string_view part,
                               int line = 0) {
    const RecordOutcome outcome = recorded(with_kernel(host), {64});
    EXPECT_EQ(outcome.verdict, verdict) << outcome.reason;
    EXPECT_NE(outcome.reason.find(part), std::string::npos) << outcome.reason;
    EXPECT_TRUE(outcome.plans.empty());
    EXPECT_EQ(outcome.failed_call, 0);
    if (line != 0 && !builder().tools().addr2line.empty()) {
      EXPECT_EQ(outcome.line, line);
    }
    return outcome;
  }
};

std::uint64_t word_at(const std::string& bytes, std::size_t offset, std::size_t size = 8) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, size);
  return word;
}

/// Where the pointer at this place of the bytes leads; nowhere: it is none.
std::optional<PlanAddress> pointer_at(const std::vector<AddressUse>& pointers,
                                      std::size_t position) {
  for (const AddressUse& use : pointers) {
    if (use.position == position) return use.address;
  }
  return std::nullopt;
}

void check_simple(const RecordOutcome& outcome) {
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  ASSERT_EQ(outcome.plans.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const LaunchPlan& plan = outcome.plans[i];
    const std::uint64_t n = i == 0 ? 1000 : 5;
    ASSERT_EQ(plan.buffers.size(), 2U);
    EXPECT_EQ(plan.buffers[1].argument, 1U);
    EXPECT_EQ(plan.buffers[1].bytes, n * 4);
    ASSERT_EQ(plan.steps.size(), 1U);
    const auto& launch = std::get<KernelLaunch>(plan.steps[0]);
    EXPECT_EQ(launch.grid, (Dim3{static_cast<std::uint32_t>((n + 255) / 256), 1, 1}));
    EXPECT_EQ(launch.block, (Dim3{256, 1, 1}));
    EXPECT_EQ(launch.parameter_offsets, (std::vector<std::uint32_t>{0, 8, 16}));
    ASSERT_EQ(launch.parameters.size(), 20U);
    EXPECT_EQ(pointer_at(launch.pointers, 0), (PlanAddress{0, 0}));
    EXPECT_EQ(pointer_at(launch.pointers, 8), (PlanAddress{1, 0}));
    EXPECT_EQ(launch.pointers.size(), 2U);
    EXPECT_EQ(word_at(launch.parameters, 16, 4), n);
  }
}

const char* const kSimpleHost =
    "extern \"C\" void solve(const float* x, float* y, int n) {\n"
    "  k<<<(n + 255) / 256, 256>>>(x, y, n); }\n";

TEST_F(RecordTest, OnePlanPerSize) { check_simple(recorded(with_kernel(kSimpleHost), {1000, 5})); }

TEST_F(RecordTest, TheSameWithNvcc) {
  if (lacks(FrontEnd::nvcc)) GTEST_SKIP() << "no nvcc";
  check_simple(recorded(with_kernel(kSimpleHost), {1000, 5}, FrontEnd::nvcc));
}

TEST_F(RecordTest, TheSameWithNvccOutOfSight) {
  Toolchain tools = builder().tools();
  tools.nvcc = {};
  tools.ptxas.clear();
  tools.toolkit.clear();
  const auto lonely = Builder::create(builder().sandbox(), tools, {.cache = cache()});
  ASSERT_TRUE(lonely.ok()) << lonely.error().message;
  auto wanted = request(with_kernel(kSimpleHost), FrontEnd::automatic);
  wanted.assemble = true;
  const auto built = lonely->build(wanted);
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(built->front_end, FrontEnd::clang);
  EXPECT_TRUE(built->cubin.empty());
  const auto outcome = record(*lonely, *built, calls({1000, 5}));
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  check_simple(*outcome);
}

/// Templates, two kernels, a loop of launches that depends on the size, scratch memory, memset,
/// copies on the device, streams, events and a graph: all in one plan, in order.
const char* const kManySteps = R"(#include <cuda_runtime.h>
#include <vector>
template <int S, class T> __global__ void step(T* y, int n, double f) {
  int i = threadIdx.x * S; if (i < n) y[i] += f; }
__global__ void last(float4 v, float* y, char c) { y[0] = v.x + c; }
extern "C" void solve(const float* x, float* y, int n) {
  float* scratch = nullptr;
  cudaMalloc(&scratch, n * sizeof(float));
  cudaMemset(scratch, 0xAB, n * sizeof(float));
  cudaMemcpy(scratch, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaStream_t stream; cudaStreamCreate(&stream);
  cudaEvent_t event; cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  for (int s = 1; s < n; s *= 2) step<2, float><<<dim3(1, 2, 3), 32, 0, stream>>>(scratch, s, 0.5);
  cudaEventRecord(event, stream); cudaStreamWaitEvent(0, event, 0);
  std::vector<float> table(4, 3.0f);
  float* constants; cudaMallocAsync(&constants, 16, stream);
  cudaMemcpyAsync(constants, table.data(), 16, cudaMemcpyHostToDevice, stream);
  cudaMemcpy2DAsync(y, 8, scratch, 16, 8, 4, cudaMemcpyDeviceToDevice, stream);
  cudaGraph_t graph; cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  last<<<1, 1, 64, stream>>>(make_float4(1, 2, 3, 4), y + 1, 'c');
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream); cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream); cudaDeviceSynchronize();
  cudaFreeAsync(constants, stream); cudaFree(scratch);
  cudaEventDestroy(event); cudaStreamDestroy(stream);
  if (cudaGetLastError() != cudaSuccess) cudaDeviceReset();
}
)";

void check_many_steps(const LaunchPlan& plan) {
  std::string order;
  for (const auto& step : plan.steps) order += "LMCUAF"[step.index()];
  EXPECT_EQ(order, "AMCLLLLAUCLLFF");
  const auto& memset = std::get<Memset>(plan.steps[1]);
  EXPECT_EQ(memset.value, 0xABU);
  EXPECT_EQ(memset.width, 64U);
  const auto& launch = std::get<KernelLaunch>(plan.steps[3]);
  EXPECT_EQ(launch.grid, (Dim3{1, 2, 3}));
  EXPECT_EQ(launch.parameter_offsets, (std::vector<std::uint32_t>{0, 8, 16}));
  EXPECT_EQ(pointer_at(launch.pointers, 0), (PlanAddress{2, 0}));
  const auto& upload = std::get<Upload>(plan.steps[8]);
  EXPECT_EQ(upload.destination, (PlanAddress{3, 0}));
  EXPECT_EQ(word_at(upload.bytes, 12, 4), 0x40400000U);
  const auto& rows = std::get<DeviceCopy>(plan.steps[9]);
  EXPECT_EQ(rows.height, 4U);
  EXPECT_EQ(rows.source_pitch, 16U);
  const auto& last = std::get<KernelLaunch>(plan.steps[11]);
  EXPECT_EQ(last.shared_bytes, 64U);
  EXPECT_EQ(last.parameter_offsets, (std::vector<std::uint32_t>{0, 16, 24}));
  EXPECT_EQ(pointer_at(last.pointers, 16), (PlanAddress{1, 4}));
  EXPECT_EQ(last.parameters[24], 'c');
}

TEST_F(RecordTest, ManyKindsOfSteps) {
  const auto outcome = recorded(kManySteps, {16});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  check_many_steps(outcome.plans[0]);
}

TEST_F(RecordTest, ManyKindsOfStepsWithNvcc) {
  if (lacks(FrontEnd::nvcc)) GTEST_SKIP() << "no nvcc";
  const auto outcome = recorded(kManySteps, {16}, FrontEnd::nvcc);
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  check_many_steps(outcome.plans[0]);
}

TEST_F(RecordTest, SymbolsAreBuffers) {
  const auto outcome = recorded(R"(#include <cuda_runtime.h>
__constant__ float weights[8];
__device__ int counter;
__global__ void k(float* y) { y[0] = weights[3] + counter; }
extern "C" void solve(const float* x, float* y, int n) {
  float host[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(weights, host, sizeof host, 8);
  cudaMemcpyToSymbol(weights, x, 4, 0, cudaMemcpyDeviceToDevice);
  void* address; cudaGetSymbolAddress(&address, counter);
  cudaMemset(address, 0, 4);
  k<<<1, 1>>>(y);
}
)",
                                {16});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  const LaunchPlan& plan = outcome.plans[0];
  ASSERT_EQ(plan.buffers.size(), 4U);
  EXPECT_EQ(plan.buffers[2].kind, BufferKind::symbol);
  EXPECT_EQ(plan.buffers[2].symbol, "weights");
  EXPECT_EQ(plan.buffers[2].bytes, 32U);
  EXPECT_EQ(plan.buffers[3].symbol, "counter");
  EXPECT_EQ(std::get<Upload>(plan.steps[0]).destination, (PlanAddress{2, 8}));
  EXPECT_EQ(std::get<DeviceCopy>(plan.steps[1]).source, (PlanAddress{0, 0}));
}

/// Kernels and variables without external linkage have other names in the PTX; both sides agree.
TEST_F(RecordTest, InternalLinkage) {
  for (const FrontEnd front_end : {FrontEnd::clang, FrontEnd::nvcc}) {
    if (lacks(front_end)) continue;
    const auto built = build(request(R"(#include <cuda_runtime.h>
namespace {
__constant__ float table[4];
__global__ void hidden(float* y) { y[0] = table[1]; }
}
static __device__ int counter;
static __global__ void local(float* y) { y[1] = atomicAdd(&counter, 1); }
extern "C" void solve(const float* x, float* y, int n) {
  cudaMemcpyToSymbol(table, x, 16, 0, cudaMemcpyDeviceToDevice);
  void* address; cudaGetSymbolAddress(&address, counter); cudaMemset(address, 0, 4);
  hidden<<<1, 1>>>(y); local<<<1, 1>>>(y);
}
)",
                                     front_end));
    ASSERT_EQ(built.verdict, Verdict::ok) << built.reason;
    const auto outcome = record(builder(), built, calls({16}));
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    ASSERT_EQ(outcome->verdict, Verdict::ok) << outcome->reason;
    for (const auto& buffer : outcome->plans[0].buffers) {
      if (buffer.kind != BufferKind::symbol) continue;
      EXPECT_NE(built.ptx.find(" " + buffer.symbol), std::string::npos)
          << name_of(front_end) << " has no " << buffer.symbol;
    }
  }
}

TEST_F(RecordTest, SharedMemoryOptInOccupancyAndProperties) {
  const auto outcome = recorded(with_kernel(R"(
extern "C" void solve(const float* x, float* y, int n) {
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
  int optin = 0, blocks = 0, device = 9, grid = 0, block = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, optin);
  cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 256, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, k, 0, 0);
  k<<<p.multiProcessorCount, blocks * 32, optin>>>(x, y, p.major * 10 + p.minor + device);
  k<<<grid, block>>>(x, y, n);
}
)"),
                                {16});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  const auto launches = steps_of<KernelLaunch>(outcome.plans[0]);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].grid.x, 132U);
  EXPECT_EQ(launches[0].block.x, 256U);
  EXPECT_EQ(launches[0].shared_bytes, 232448U);
  EXPECT_EQ(launches[0].carveout, 100);
  EXPECT_EQ(word_at(launches[0].parameters, 16, 4), 90U);
  EXPECT_EQ(launches[1].grid.x * launches[1].block.x, 132U * 2048);
}

TEST_F(RecordTest, CooperativeAndClusterLaunches) {
  const auto outcome = recorded(with_kernel(R"(
extern "C" void solve(const float* x, float* y, int n) {
  void* arguments[] = {&x, &y, &n};
  cudaLaunchCooperativeKernel(k, dim3(132), dim3(256), arguments, 0, 0);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8); config.blockDim = dim3(64);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 4;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute; config.numAttrs = 1;
  cudaLaunchKernelEx(&config, k, x, y, n);
  attribute[0].val.clusterDim.x = 1;
  cudaLaunchKernelEx(&config, k, x, y, n);
}
)"),
                                {16});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  const auto launches = steps_of<KernelLaunch>(outcome.plans[0]);
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_TRUE(launches[0].cooperative);
  EXPECT_FALSE(launches[0].clustered);
  EXPECT_TRUE(launches[1].clustered);
  EXPECT_TRUE(launches[2].clustered);
  EXPECT_EQ(launches[1].cluster, (Dim3{4, 1, 1}));
  EXPECT_EQ(pointer_at(launches[1].pointers, 8), (PlanAddress{1, 0}));
}

TEST_F(RecordTest, HostReadsAreNamedWithTheirLine) {
  refused(
      "extern \"C\" void solve(const float* x, float* y, int n) {\n"
      "  float first;\n"
      "  cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost);\n"
      "  k<<<1, 1>>>(x, y, (int)first); }\n",
      Verdict::host_error, "cudaMemcpy: reads device memory on the host", 6);
}

TEST_F(RecordTest, TouchingDeviceMemoryIsAHostError) {
  refused("extern \"C\" void solve(const float* x, float* y, int n) { y[3] = x[2]; }\n",
          Verdict::host_error, "device memory from host code", 4);
}

TEST_F(RecordTest, CallsWithoutAPlaceInAPlanAreNamed) {
  refused("extern \"C\" void solve(const float* x, float* y, int n) { cudaDeviceReset(); }\n",
          Verdict::host_error, "cudaDeviceReset", 4);
  refused(
      "extern \"C\" void solve(const float* x, float* y, int n) {\n"
      "  float* m; cudaMallocManaged(&m, 4); }\n",
      Verdict::host_error, "cudaMallocManaged", 5);
  refused(
      "extern \"C\" void solve(const float* x, float* y, int n) {\n\n"
      "  cudaMemset(y, 0, n * 4 + 1); }\n",
      Verdict::host_error, "leave the device buffer of 256 bytes", 6);
}

TEST_F(RecordTest, RareCallsAreNamedAtTheCall) {
  refused(
      "extern \"C\" int cudaLibraryLoadData(void*);\n"
      "extern \"C\" void solve(const float* x, float* y, int n) {\n"
      "  cudaLibraryLoadData(nullptr); }\n",
      Verdict::host_error, "cudaLibraryLoadData: this call cannot be part", 6);
}

TEST_F(RecordTest, LaunchesTheDeviceRefusesAreLaunchErrors) {
  refused("extern \"C\" void solve(const float* x, float* y, int n) { k<<<1, 2048>>>(x, y, n); }\n",
          Verdict::launch_error, "cudaErrorInvalidConfiguration", 4);
  refused("extern \"C\" void solve(const float* x, float* y, int n) { k<<<0, 32>>>(x, y, n); }\n",
          Verdict::launch_error, "zero dimension", 4);
  refused(
      "extern \"C\" void solve(const float* x, float* y, int n) { k<<<1, 32, 50000>>>(x, y, n); "
      "}\n",
      Verdict::launch_error, "cudaFuncAttributeMaxDynamicSharedMemorySize", 4);
}

TEST_F(RecordTest, EndlessHostCodeIsATimeout) {
  const BuildOutcome built =
      build(request(with_kernel("extern \"C\" void solve(const float* x, float* y, int n) { "
                                "volatile int i = 1; while (i) ; }\n")));
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason;
  auto wanted = calls({64, 65});
  wanted.limits.wall = std::chrono::milliseconds(700);
  const auto outcome = record(builder(), built, wanted);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->verdict, Verdict::timeout) << outcome->reason;
}

// A millisecond or more, on any machine. The least of several recordings counts, so that one that
// misses it shows.
TEST_F(RecordTest, NoTimeOnTheHostIsLost) {
  const RecordOutcome outcome =
      recorded(with_kernel("extern \"C\" void solve(const float* x, float* y, int n) {\n"
                           "  volatile double a = 0;\n"
                           "  for (int i = 0; i < 600000; ++i) a = a + 1;\n"
                           "  k<<<(n + 255) / 256, 256>>>(x, y, n); }\n"),
               {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  for (const LaunchPlan& plan : outcome.plans) EXPECT_GT(plan.host_us, 200);
}

// Whoever knows the recorder's messages says that solve has returned, and then works.
TEST_F(RecordTest, WorkBehindAForgedReturnCounts) {
  const RecordOutcome outcome =
      recorded(with_kernel("#include <unistd.h>\n"
                           "extern \"C\" void solve(const float* x, float* y, int n) {\n"
                           "  for (int fd = 0; fd < 256; ++fd) (void)!write(fd, \"D\", 1);\n"
                           "  volatile double a = 0;\n"
                           "  for (int i = 0; i < 600000; ++i) a = a + 1;\n"
                           "  k<<<(n + 255) / 256, 256>>>(x, y, n); }\n"),
               {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  for (const LaunchPlan& plan : outcome.plans) EXPECT_GT(plan.host_us, 200);
}

TEST_F(RecordTest, CrashesAndExitsAreHostErrors) {
  refused("extern \"C\" void solve(const float* x, float* y, int n) { *(volatile int*)8 = 1; }\n",
          Verdict::host_error, "crashed", 4);
  refused(
      "#include <stdlib.h>\nextern \"C\" void solve(const float* x, float* y, int n) { exit(0); "
      "}\n",
      Verdict::host_error, "ended the program");
  refused(
      "#include <stdexcept>\nextern \"C\" void solve(const float* x, float* y, int n) { "
      "throw std::runtime_error(\"x\"); }\n",
      Verdict::host_error, "crashed");
}

TEST_F(RecordTest, ForkBombsAndFloodsAreContained) {
  const auto started = std::chrono::steady_clock::now();
  const BuildOutcome built =
      build(request(with_kernel("#include <unistd.h>\n#include <stdio.h>\n"
                                "extern \"C\" void solve(const float* x, float* y, int n) {\n"
                                "  if (n == 64) for (;;) fork();\n"
                                "  for (int i = 0; i < 200000; ++i) puts(\"flooooooooood\");\n"
                                "  k<<<1, 32>>>(x, y, n); }\n")));
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason;
  auto wanted = calls({64});
  wanted.limits.wall = std::chrono::seconds(10);  // a busy machine gets to fork within it
  auto outcome = record(builder(), built, wanted);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->verdict, Verdict::host_error) << outcome->reason;
  outcome = record(builder(), built, calls({63}));
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->verdict, Verdict::ok) << "what solve prints goes nowhere: " << outcome->reason;
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(60));
}

/// Host code computes and talks to the device; whatever else it asks of the system ends it, while
/// it is loaded and later.
TEST_F(RecordTest, TheSystemAnswersNothing) {
  const std::string names =
      "#include <fcntl.h>\n#include <signal.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n"
      "#include <sys/syscall.h>\n#include <thread>\n#include <time.h>\n#include <unistd.h>\n"
      "#include <condition_variable>\n#include <mutex>\n";
  const auto stopped = [&](const std::string& act) {
    refused(names + "extern \"C\" void solve(const float* x, float* y, int n) {\n" + act +
                ";\n  k<<<1, 32>>>(x, y, n); }\n",
            Verdict::host_error, "asked the system for something else");
  };
  stopped("open(\"/etc/passwd\", O_RDONLY)");
  stopped("access(\"/proc/self/maps\", F_OK)");
  stopped("struct stat facts; stat(\"/tmp\", &facts)");
  stopped("socket(AF_INET, SOCK_STREAM, 0)");
  stopped("fork()");
  stopped("getppid()");
  stopped("getpid()");
  stopped("signal(SIGSYS, SIG_IGN)");
  stopped("usleep(1000)");
  stopped(
      "std::mutex m; std::unique_lock l(m); std::condition_variable c;"
      "c.wait_for(l, std::chrono::milliseconds(5))");
  stopped("timespec now; syscall(SYS_clock_gettime, CLOCK_REALTIME, &now)");
  const auto early =
      recorded(with_kernel(names + "static int found;\n"
                                   "__attribute__((constructor(101))) static void look() {\n"
                                   "  found = open(\"/etc/passwd\", O_RDONLY); }\n"
                                   "extern \"C\" void solve(const float* x, float* y, int n) {\n"
                                   "  k<<<1, 32>>>(x, y, n); }\n"),
               {64});
  EXPECT_EQ(early.verdict, Verdict::host_error) << early.reason;
  EXPECT_NE(early.reason.find("openat"), std::string::npos) << early.reason;
}

TEST_F(RecordTest, HostCodeMayComputePrintAndHaveThreads) {
  const auto outcome = recorded(with_kernel(R"(
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
extern "C" void solve(const float* x, float* y, int n) {
  std::vector<double> table(100000);
  for (auto& each : table) each = std::sin((double)table.size());
  std::map<std::string, int> names = {{"one", 1}};
  std::thread worker([&] { names["two"] = 2; });
  worker.join();
  std::vector<int> many(5000, 3);
  std::qsort(many.data(), many.size(), sizeof(int), compare);
  std::mt19937 drawn(std::random_device{}());
  try { throw names.size(); } catch (std::size_t) {}
  printf("%f %d\n", table[0], (int)drawn());
  fprintf(stderr, "%d\n", rand());
  std::cout << std::thread::hardware_concurrency() << std::endl;
  (void)std::chrono::steady_clock::now();
  k<<<1, 32>>>(x, y, n);
  while (cudaStreamQuery(0) == cudaErrorNotReady) {}
  k<<<1, 32>>>(x, y, n);
}
)"),
                                {64});
  EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
}

TEST_F(RecordTest, NobodySaysWhatProgramItIs) {
  const auto asks = [&](const std::string& act) {
    const auto outcome =
        recorded(with_kernel("#include <dlfcn.h>\n#include <link.h>\n#include <stdlib.h>\n"
                             "#include <sys/auxv.h>\nextern \"C\" char** environ;\n"
                             "extern \"C\" void solve(const float* x, float* y, int n) {\n"
                             "  const bool known = " +
                             act + ";\n  k<<<1, 32>>>(x, y, n + known); }\n"),
                 {64});
    EXPECT_EQ(outcome.verdict, Verdict::host_error) << act;
    EXPECT_NE(outcome.reason.find("host code may not ask for"), std::string::npos)
        << outcome.reason;
  };
  asks("dlsym(RTLD_DEFAULT, \"main\") != nullptr");
  asks("environ[0] == nullptr");
  asks("getenv(\"HOME\") == nullptr");
  asks("getauxval(AT_EXECFN) != 0");
}

/// Code that would run before the doors close, or in place of what closes them.
TEST_F(RecordTest, TheDoorsCannotBeGoneAround) {
  const auto tries = [&](const std::string& text, std::string_view part) {
    const auto outcome =
        recorded(with_kernel("extern \"C\" {\n" + text +
                             "}\nextern \"C\" void solve(const float* x, float* y, int n) {\n"
                             "  k<<<1, 32>>>(x, y, n); }\n"),
                 {64});
    EXPECT_EQ(outcome.verdict, Verdict::host_error) << text;
    EXPECT_NE(outcome.reason.find(part), std::string::npos) << outcome.reason;
  };
  tries("__attribute__((visibility(\"default\"))) void ww_close_doors() {}\n", "ww_");
  tries(
      "#ifndef __CUDA_ARCH__\nvoid one() {}\nvoid (*choose())() { return one; }\n"
      "__attribute__((visibility(\"default\"))) void chosen() "
      "__attribute__((ifunc(\"choose\")));\n#endif\n",
      "ifunc");
}

TEST_F(RecordTest, ForgedReportsAreOnlyPlans) {
  const auto outcome = recorded(with_kernel(R"(
#include <string.h>
#include <unistd.h>
extern "C" void solve(const float* x, float* y, int n) {
  const char lines[] = "P\\4\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0run 0 1 5 5 0\\nV{]";
  for (int fd = 3; fd < 200; ++fd) (void)!write(fd, lines, sizeof lines - 1);
  _exit(0); }
)"),
                                {16});
  EXPECT_EQ(outcome.verdict, Verdict::host_error);
  EXPECT_TRUE(outcome.plans.empty());
}

/// Pointers are found by how they move, wherever they stand; data that looks like one stays data.
TEST_F(RecordTest, PointersAreWhatMovesWithABuffer) {
  const auto outcome = recorded(R"(#include <cuda_runtime.h>
struct __attribute__((packed)) Odd { char c; const float* in; float* past; };
__global__ void k(Odd odd, unsigned long long copy_of_address, const float** table) {
  if (odd.c == 1) odd.past[-1] = odd.in[copy_of_address & 1] + table[0][0]; }
extern "C" void solve(const float* x, float* y, int n) {
  const float* rows[3] = {x + 1, y - 2, nullptr};
  const float** table; cudaMalloc(&table, sizeof rows);
  cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice);
  k<<<1, 1>>>({1, x - 4, y + n}, 0x7123456789ab, table);
}
)",
                                {16});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  const LaunchPlan& plan = outcome.plans[0];
  const auto upload = steps_of<Upload>(plan).at(0);
  EXPECT_EQ(upload.pointers, (std::vector<AddressUse>{{0, {0, 4}}, {8, {1, -8}}}));
  EXPECT_EQ(word_at(upload.bytes, 16), 0U);
  const auto launch = steps_of<KernelLaunch>(plan).at(0);
  EXPECT_EQ(pointer_at(launch.pointers, 1), (PlanAddress{0, -16}));
  EXPECT_EQ(pointer_at(launch.pointers, 9), (PlanAddress{1, 64}));
  EXPECT_EQ(word_at(launch.parameters, 24), 0x7123456789abU);
  EXPECT_EQ(pointer_at(launch.pointers, 32), (PlanAddress{2, 0}));
}

TEST_F(RecordTest, PaddingIsNobodysBusiness) {
  const auto outcome = recorded(R"(#include <cuda_runtime.h>
#include <time.h>
struct Mixed { char c; double d; };
__global__ void k(Mixed m, float* y) { y[0] = m.c + (float)m.d; }
extern "C" void solve(const float* x, float* y, int n) {
  Mixed m; timespec now; clock_gettime(CLOCK_MONOTONIC, &now);
  __builtin_memset(&m, (int)now.tv_nsec, sizeof m);
  m.c = 1; m.d = 2;
  k<<<1, 1>>>(m, y);
}
)",
                                {16});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  const auto launch = steps_of<KernelLaunch>(outcome.plans[0]).at(0);
  EXPECT_EQ(word_at(launch.parameters, 0), 1U) << "zeros where nobody reads";
}

/// The same call must lead to the same plan, wherever and whenever it is made.
TEST_F(RecordTest, HostCodeThatDependsOnAnythingElseIsRefused) {
  const std::string names = "#include <stdint.h>\n#include <time.h>\n#include <unistd.h>\n";
  const auto depends = [&](const std::string& body) {
    refused(names + "extern \"C\" void solve(const float* x, float* y, int n) { " + body + " }\n",
            Verdict::host_error, "when the same call is made once more");
  };
  depends("k<<<1 + (((uintptr_t)y >> 12) & 0xfffff), 32>>>(x, y, n);");
  depends("k<<<1, 32>>>(x, y, (int)((y - x) & 0x7fffffff));");
  depends("k<<<1, 32>>>(x, y, (int)((uintptr_t)&n >> 12));");
  depends(
      "k<<<1, 32>>>(x, y, n); k<<<1, 32>>>(x, y, cudaStreamQuery(0) == cudaSuccess ? n : n - 1);");
  depends("k<<<1, 32>>>(x, y, time(nullptr) > 2208988800 ? n / 2 : n);");
  depends(
      "timespec now; clock_gettime(CLOCK_MONOTONIC, &now); k<<<1, 32>>>(x, y, (int)now.tv_nsec);");
  depends("float* t; cudaMalloc(&t, 4 + (((uintptr_t)y >> 12) & 0xfffff)); k<<<1, 32>>>(x, y, n);");
  depends(
      "long now[2] = {0, 0}; clock_gettime(CLOCK_MONOTONIC, (timespec*)now);"
      "cudaMemcpy(y, now, 16, cudaMemcpyHostToDevice);");
}

/// Users call solve more than once: a later call does what the first one did.
TEST_F(RecordTest, LaterCallsOfAProcessDoTheSame) {
  const auto differs = [&](const std::string& body) {
    for (const auto sizes : {std::initializer_list<long>{64}, {64, 100, 7}}) {
      const auto outcome =
          recorded(with_kernel("static int calls; static const float* kept; static float* room;\n"
                               "extern \"C\" void solve(const float* x, float* y, int n) {\n" +
                               body + " }\n"),
                   sizes);
      EXPECT_EQ(outcome.verdict, Verdict::host_error) << body;
      EXPECT_NE(outcome.reason.find("once more by the same process"), std::string::npos)
          << outcome.reason;
    }
  };
  differs("k<<<1, 32>>>(x, y, calls++ == 0 ? n : n / 2);");
  differs("if (calls++ == 0) k<<<1, 32>>>(x, y, n);");
  differs("if (kept == nullptr) kept = x; k<<<1, 32>>>(kept, y, n);");
  differs("if (calls++ == 0) cudaMemset(y, 0, 4); k<<<1, 32>>>(x, y, n);");
  differs("if (kept == x) return; kept = x; k<<<1, 32>>>(x, y, n);");
  differs("if (calls++ == 1) exit(0); k<<<1, 32>>>(x, y, n);");
  differs("k<<<1, 32>>>(x, y, n); if (calls++ > 0) k<<<1, 32>>>(x, y, n);");
  differs(
      "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n"
      "k<<<1, 32, 0, s>>>(x, y, n); if (calls++ == 0) cudaStreamSynchronize(s);\n"
      "k<<<1, 32>>>(y, (float*)x, n);");
}

TEST_F(RecordTest, LaterCallsMayKeepWhatIsTheirs) {
  const auto outcome = recorded(R"(#include <cuda_runtime.h>
__constant__ float table[4];
__global__ void k(const float* x, float* y, float* room, int n) { room[0] = x[0]; y[0] = table[n & 3] + room[0]; }
static float* room; static int capacity; static bool ready; static cudaStream_t stream;
extern "C" void solve(const float* x, float* y, int n) {
  const float values[4] = {1, 2, 3, 4};
  if (!ready) { cudaMemcpyToSymbol(table, values, sizeof values); cudaStreamCreate(&stream); ready = true; }
  if (n > capacity) {
    cudaFree(room);
    cudaMalloc(&room, n * 4);
    cudaMemset(room, 0, n * 4);
    capacity = n;
  }
  k<<<1, 1, 0, stream>>>(x, y, room, n);
}
)",
                                {64, 100, 7, 3000});
  EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
}

/// No memory tells a call what other calls there are.
TEST_F(RecordTest, NoMemoryHoldsTheOtherCalls) {
  const auto outcome = recorded(R"(#include <cuda_runtime.h>
#include <string.h>
#include <unistd.h>
__global__ void k(float* y, int found) { y[0] = found; }
// Changed, or it would find itself.
static volatile unsigned long key = 0x5555555555555555;
static const unsigned long coded[] = {(1234567891UL * 4) ^ 0x5555555555555555, (1456789123UL * 4) ^ 0x5555555555555555};
static int look(unsigned long mine) {
  int found = 0;
  const unsigned long top = (unsigned long)sbrk(0);
  for (unsigned long at = top - (128u << 10); at + 8 <= top; at += 4) {
    unsigned long word; memcpy(&word, (void*)at, 8);
    for (unsigned long other : coded) if ((word ^ key) == other && word != mine * 4) found |= 1;
  }
  return found;
}
static int early;
__attribute__((constructor)) static void load() { early = look(0); }
extern "C" void solve(const float* x, float* y, int n) {
  static int calls;
  k<<<1, 1>>>(y, calls++ == 0 ? early | look(n) : 0);
}
)",
                                {1234567891, 1456789123});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
  for (const LaunchPlan& plan : outcome.plans) {
    EXPECT_EQ(word_at(steps_of<KernelLaunch>(plan).at(0).parameters, 8, 4), 0U);
  }
}

/// A kernel that waits for nothing may run beside the others; an event is an order.
TEST_F(RecordTest, StreamsAndEventsAreKept) {
  const auto order_of = [](const std::string& body) {
    const auto outcome = recorded(
        with_kernel(
            "extern \"C\" void solve(const float* x, float* y, int n) {\n"
            "  cudaStream_t a, b, c; cudaEvent_t e; cudaEventCreate(&e);\n"
            "  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);\n"
            "  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking); cudaStreamCreate(&c);\n" +
            body + "}\n"),
        {64});
    EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.reason;
    return outcome.plans.empty() ? LaunchPlan{} : outcome.plans[0];
  };
  const auto text = [](const LaunchPlan& plan) {
    const PlanOrder order(plan);
    std::string pairs;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      for (std::size_t k = i + 1; k < plan.steps.size(); ++k) {
        if (!order.before(i, k)) pairs += std::to_string(i) + "|" + std::to_string(k) + " ";
      }
    }
    return pairs;
  };
  const std::string on_a = "k<<<1, 32, 0, a>>>(x, y, n);", on_b = "k<<<1, 32, 0, b>>>(x, y, n);";
  const std::string on_c = "k<<<1, 32, 0, c>>>(x, y, n);", plain = "k<<<1, 32>>>(x, y, n);";
  const std::string own = "k<<<1, 32, 0, cudaStreamPerThread>>>(x, y, n);";
  EXPECT_EQ(text(order_of(on_a + on_a)), "");
  EXPECT_EQ(text(order_of(on_a + on_b)), "0|1 ");
  EXPECT_EQ(text(order_of(on_a + "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);" + on_b)),
            "");
  EXPECT_EQ(
      text(order_of("cudaEventRecord(e, a);" + on_a + "cudaStreamWaitEvent(b, e, 0);" + on_b)),
      "0|1 ")
      << "recorded too early";
  EXPECT_EQ(text(order_of(on_a + plain)), "0|1 ") << "a is not blocking";
  EXPECT_EQ(text(order_of(on_c + plain + on_c)), "") << "c is";
  EXPECT_EQ(text(order_of(plain + own + plain)), "");
  EXPECT_EQ(text(order_of(own + on_c)), "0|1 ");
  EXPECT_EQ(text(order_of(own + "cudaEventRecord(e, 0);" + on_c)), "")
      << "through the default stream";
  EXPECT_EQ(text(order_of(on_a + "cudaStreamSynchronize(a);" + on_b)), "");
  EXPECT_EQ(text(order_of(on_a + on_b + "cudaStreamSynchronize(a);" + on_c)), "0|1 1|2 ");
  EXPECT_EQ(text(order_of(on_a + on_b + "cudaDeviceSynchronize();" + on_c)), "0|1 ");
  EXPECT_EQ(text(order_of(on_a + "cudaEventRecord(e, a); cudaEventSynchronize(e);" + on_b)), "");
  EXPECT_EQ(text(order_of(on_a + "float* t; cudaMallocAsync(&t, 4, a); cudaFreeAsync(t, b);")),
            "0|2 1|2 ");
  EXPECT_EQ(text(order_of(on_a + "float* t; cudaMalloc(&t, 4); cudaFree(t);" + on_b)), "")
      << "a free waits for the device";
  EXPECT_EQ(text(order_of(on_a + "float* t; cudaMalloc(&t, 4);" + on_b)), "0|1 0|2 ")
      << "an allocation for nothing";
  EXPECT_EQ(text(order_of("float* t; cudaMalloc(&t, 4);" + plain + "cudaMemset(t, 0, 4);")), "");
  const std::string fork = "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);";
  const std::string back = "cudaEventRecord(e, b); cudaStreamWaitEvent(a, e, 0);";
  EXPECT_EQ(text(order_of("cudaGraph_t g; cudaGraphExec_t r;"
                          "cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);" +
                          on_a + fork + on_b + on_a + back + on_a +
                          "cudaStreamEndCapture(a, &g); cudaGraphInstantiate(&r, g, 0);"
                          "cudaGraphLaunch(r, c);" +
                          plain)),
            "1|2 ");
}

TEST_F(RecordTest, AMainFunctionDoesNoHarm) {
  check_simple(
      recorded(with_kernel(std::string(kSimpleHost) + "int main() { return 1; }\n"), {1000, 5}));
}

TEST_F(RecordTest, WrongNumberOfArgumentsIsOurOwnError) {
  const BuildOutcome built = build(request(with_kernel(kSimpleHost)));
  RecordRequest wanted = calls({16});
  wanted.calls[0].arguments.pop_back();
  EXPECT_FALSE(record(builder(), built, wanted).ok());
}

}  // namespace
}  // namespace warpwright::build
