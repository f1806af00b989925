// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "evaluate/checking_tools.h"
#include "evaluate/counters.h"
#include "evaluate/sanitizer_report.h"

// Report texts are written after the tool's documented forms, newer and older.

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kMemcheck = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at scale(const float *, float *, int)+0x90 in /somewhere/scratch/candidate.cu:12
=========     by thread (31,0,0) in block (7,0,0)
=========     Address 0x7f2a4c000400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2a4c000000 of size 1,024 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========     Host Frame: cuLaunchKernelEx [0x2dbb3f] in libcuda.so.1
=========
========= Invalid __global__ write of size 4 bytes
=========     at scale(const float *, float *, int)+0x90 in /somewhere/scratch/candidate.cu:12
=========     by thread (30,0,0) in block (7,0,0)
=========     Address 0x7f2a4c0003fc is out of bounds
=========
========= Invalid __shared__ read of size 16 bytes
=========     at scale(const float *, float *, int)+0xd0 in /somewhere/scratch/candidate.cu:15
=========     by thread (1,0,0) in block (0,0,0)
=========     Address 0x4 is misaligned
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuEventQuery.
=========
========= ERROR SUMMARY: 4 errors
)";

TEST(SanitizerReport, MemoryFaultsHaveKernelLineAndThread) {
  const SanitizerReport report = parse_sanitizer_report(kMemcheck, "candidate.cu");
  EXPECT_TRUE(report.complete);
  EXPECT_TRUE(report.trouble.empty());
  ASSERT_EQ(report.faults.size(), 2U);
  const device::Fault& write = report.faults[0];
  EXPECT_EQ(write.verdict, Verdict::memory_fault);
  EXPECT_EQ(write.kind, FindingKind("out_of_bounds"));
  EXPECT_EQ(write.kernel, "scale");
  EXPECT_EQ(write.line, 12);
  EXPECT_THAT(write.message, HasSubstr("Invalid __global__ write of size 4 bytes"));
  EXPECT_THAT(write.message, HasSubstr("by thread (31,0,0) in block (7,0,0)"));
  EXPECT_THAT(write.message, Not(HasSubstr("0x7f")));
  EXPECT_THAT(write.message, Not(HasSubstr("/somewhere")));
  EXPECT_EQ(report.faults[1].kind, FindingKind("misaligned"));
  EXPECT_EQ(report.faults[1].line, 15);
}

// Both were said of kernels whose results are right on an H200, and that pass the SIMT machine's
// checks.
TEST(SanitizerReport, AsynchronousKernelsAreBeyondTheTool) {
  const device::Fault race{.verdict = Verdict::race,
                           .kind = "shared_race",
                           .message = "Race reported between Write access, the other at line 85"};
  const device::Fault outside{.verdict = Verdict::memory_fault,
                              .kind = "out_of_bounds",
                              .message = "Invalid __shared__ read of size 2048 bytes"};
  const device::Fault global{.verdict = Verdict::memory_fault,
                             .kind = "out_of_bounds",
                             .message = "Invalid __global__ write of size 4 bytes"};
  const device::Fault crooked{.verdict = Verdict::memory_fault,
                              .kind = "misaligned",
                              .message = "Invalid __shared__ read of size 16 bytes"};
  const device::Fault parted{.verdict = Verdict::race,
                             .kind = "divergent_barrier",
                             .message = "Barrier error detected. Divergent thread(s) in block"};
  const std::string plain = "ld.shared.f32 %f1, [%r1];\nbar.sync 0;\n";
  for (const device::Fault& fault : {race, outside, global, crooked, parted}) {
    EXPECT_TRUE(tool_can_tell(fault, plain)) << fault.message;
  }
  for (const std::string more :
       {"wgmma.fence.sync.aligned;\n", "mbarrier.try_wait.parity.shared.b64 p, [%r2], %r3;\n"}) {
    EXPECT_FALSE(tool_can_tell(race, plain + more)) << more;
    EXPECT_FALSE(tool_can_tell(outside, plain + more)) << more;
    for (const device::Fault& fault : {global, crooked, parted})
      EXPECT_TRUE(tool_can_tell(fault, plain + more)) << fault.message;
  }
}

TEST(SanitizerReport, OlderToolsPutTheKernelLast) {
  const SanitizerReport report = parse_sanitizer_report(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at 0x70 in candidate.cu:32:unaligned_kernel(int)\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "=========     Address 0x7f6510c00001 is misaligned\n"
      "========= ERROR SUMMARY: 1 error\n",
      "candidate.cu");
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_EQ(report.faults[0].kernel, "unaligned_kernel");
  EXPECT_EQ(report.faults[0].line, 32);
  EXPECT_EQ(report.faults[0].kind, FindingKind("misaligned"));
}

TEST(SanitizerReport, RacesAreErrorsAndWarningsAreNot) {
  const SanitizerReport report = parse_sanitizer_report(
      "========= COMPUTE-SANITIZER\n"
      "========= Warning: Race reported between Write access at sum(int *)+0x10 in candidate.cu:9\n"
      "=========     and Read access at sum(int *)+0x20 in candidate.cu:10 [2 hazards]\n"
      "=========\n"
      "========= Error: Race reported between Write access at sum(int *)+0xd0 in candidate.cu:20\n"
      "=========     and Read access at sum(int *)+0x110 in candidate.cu:27 [508 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)\n",
      "candidate.cu");
  EXPECT_TRUE(report.complete);
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_EQ(report.faults[0].verdict, Verdict::race);
  EXPECT_EQ(report.faults[0].kernel, "sum");
  EXPECT_EQ(report.faults[0].line, 20);
  EXPECT_EQ(report.faults[0].message, "Race reported between Write access, the other at line 27");
}

TEST(SanitizerReport, UnwrittenReadsAndDivergentBarriers) {
  const SanitizerReport unwritten = parse_sanitizer_report(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at add(int *)+0x70 in candidate.cu:28\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "=========     Address 0x7f0e2c000000\n"
      "========= ERROR SUMMARY: 1 error\n",
      "candidate.cu");
  ASSERT_EQ(unwritten.faults.size(), 1U);
  EXPECT_EQ(unwritten.faults[0].kind, FindingKind("uninitialised_read"));
  const SanitizerReport barrier = parse_sanitizer_report(
      "========= Barrier error detected. Divergent thread(s) in block.\n"
      "=========     at flow(int *)+0x90 in candidate.cu:41\n"
      "=========     by thread (64,0,0) in block (0,0,0)\n"
      "========= ERROR SUMMARY: 64 errors\n",
      "candidate.cu");
  ASSERT_EQ(barrier.faults.size(), 1U);
  EXPECT_EQ(barrier.faults[0].verdict, Verdict::race);
  EXPECT_EQ(barrier.faults[0].line, 41);
}

TEST(SanitizerReport, CleanBrokenAndForeignTexts) {
  const auto clean = parse_sanitizer_report(
      "========= COMPUTE-SANITIZER\nok\n========= ERROR SUMMARY: 0 errors\n", "candidate.cu");
  EXPECT_TRUE(clean.complete && clean.faults.empty());
  const auto broken = parse_sanitizer_report(
      "========= Internal Sanitizer Error: The Sanitizer encountered an error while loading\n",
      "candidate.cu");
  EXPECT_FALSE(broken.complete);
  EXPECT_THAT(broken.trouble, HasSubstr("Internal Sanitizer Error"));
  EXPECT_FALSE(parse_sanitizer_report("", "candidate.cu").complete);
  // What a kernel prints cannot pass for a report of its own cleanliness or guilt.
  EXPECT_TRUE(parse_sanitizer_report("Invalid __global__ write of size 4\n", "candidate.cu")
                  .faults.empty());
}

/// A stand-in for compute-sanitizer: writes what the script says to its log.
class Sanitizers : public testing::Test {
 protected:
  Result<std::vector<device::Fault>> run(const std::string& script) {
    const auto tool = folder_.path() / "tool";
    EXPECT_TRUE(write_file(tool,
                           "#!/bin/sh\ntool=$2\nwhile [ \"$1\" != --log-file ]; do shift; "
                           "done\nlog=$2\nshift 2\n" +
                               script)
                    .ok());
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    return run_sanitizers({.tool = tool,
                           .program = {"/bin/true"},
                           .folder = folder_.path() / "logs",
                           .source_file = "candidate.cu",
                           .limit_s = 5},
                          stop_);
  }
  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-tools-")).value();
  StopSignal stop_;
};

TEST_F(Sanitizers, AllToolsAreAskedWhenNoneFindsAnything) {
  const auto faults = run("echo $tool >> " + (folder_.path() / "asked").string() +
                          "\necho '========= ERROR SUMMARY: 0 errors' > \"$log\"\n");
  ASSERT_TRUE(faults.ok()) << faults.error().message;
  EXPECT_TRUE(faults->empty());
  EXPECT_EQ(read_file(folder_.path() / "asked").value(),
            "memcheck\nracecheck\ninitcheck\nsynccheck\n");
}

TEST_F(Sanitizers, TheFirstFindEndsTheSearchWhateverTheProgramReturns) {
  const auto faults = run("cat > \"$log\" <<'END'\n" + std::string(kMemcheck) + "END\nexit 1\n");
  ASSERT_TRUE(faults.ok()) << faults.error().message;
  EXPECT_EQ(faults->size(), 2U);
}

TEST_F(Sanitizers, AToolThatDoesNotWorkIsAnErrorWithItsLastWords) {
  const auto silent = run("echo no such device >&2\nexit 3\n");
  ASSERT_FALSE(silent.ok());
  EXPECT_THAT(silent.error().message, HasSubstr("no such device"));
  const auto unfinished = run("echo '========= COMPUTE-SANITIZER' > \"$log\"\n");
  ASSERT_FALSE(unfinished.ok());
  EXPECT_THAT(unfinished.error().message, HasSubstr("did not finish"));
  const auto failed = run("echo '========= ERROR SUMMARY: 0 errors' > \"$log\"\nexit 9\n");
  ASSERT_FALSE(failed.ok());
}

TEST_F(Sanitizers, TheProgramLooksForItsLocksElsewhere) {
  const auto faults = run("echo \"$TMPDIR\" > " + (folder_.path() / "tmpdir").string() +
                          "\necho '========= ERROR SUMMARY: 0 errors' > \"$log\"\n");
  ASSERT_TRUE(faults.ok());
  EXPECT_EQ(read_file(folder_.path() / "tmpdir").value(),
            (folder_.path() / "logs").string() + "\n");
}

constexpr const char* kNcu = R"x(==PROF== Connected to process 4242
==PROF== Profiling "transpose" - 0: 0%....50%....100% - 9 passes
"ID","Process ID","Kernel Name","Grid Size","dram__bytes.sum","gpu__time_duration.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed","sm__warps_active.avg.pct_of_peak_sustained_active","dram__throughput.avg.pct_of_peak_sustained_elapsed","smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio","smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"
"","","","","byte","nsecond","%","%","%","warp","warp"
"0","4242","fill(float *, ""x"")","(1, 1, 1)","1,024","2,100","1.5","12","0.4","0.5","0"
"1","4242","transpose(const float *, float *, int, int)","(64, 64, 1)","33,554,432","10,560","21.25","88.5","71.9","14.2","3.1"
)x";

TEST(Counters, TheLongestLaunchIsTold) {
  const auto launches = parse_ncu(kNcu);
  ASSERT_TRUE(launches.ok()) << launches.error().message;
  ASSERT_EQ(launches->size(), 2U);
  EXPECT_EQ((*launches)[0].kernel, "fill(float *, \"x\")");
  EXPECT_EQ((*launches)[1].values.at("dram__bytes.sum"), 33554432);
  const auto findings = findings_of(*launches);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].message,
            "kernel transpose: 33.55 MB through device memory at 72 % of its peak, SMs 21 % busy, "
            "88 % of the possible warps active");
  EXPECT_EQ(findings[1].message,
            "kernel transpose: warps wait mostly for global or local memory (14.2 warps), a "
            "barrier (3.1 warps)");
}

TEST(Counters, RefusalsAndOtherTextsAreErrors) {
  const auto refused = parse_ncu(
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
      "Performance Counters on the target device 0.\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("ERR_NVGPUCTRPERM"));
  EXPECT_FALSE(parse_ncu("").ok());
  EXPECT_FALSE(parse_ncu("==WARNING== No kernels were profiled.\n").ok());
  EXPECT_FALSE(parse_ncu("\"ID\",\"Kernel Name\"\n\"0\"\n\"x\",\"y\"\n").ok());
}

}  // namespace
}  // namespace warpwright::evaluate
