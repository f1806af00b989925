// SPDX-License-Identifier: Apache-2.0
// A real slurmctld, slurmd and munge. Needs root and Debian's packages (scripts/setup full).
#include "fleet/slurm.h"

#include <cstdlib>

#include "core/json_reader.h"
#include "fleet/slurm_cluster.h"
#include "fleet/standing.h"

namespace warpwright::fleet {
namespace {

using testing::HasSubstr;

class RealSlurm : public FleetBed {
 protected:
  void SetUp() override {
    if (const std::string why = SlurmCluster::missing(); !why.empty()) GTEST_SKIP() << why;
  }

  /// A search of made-up candidates over Slurm's pilots, as a process that can be killed.
  ChildProcess start_search(const Spool& spool, int count, int at_once, int judge_ms) {
    Command command;
    command.argv = {fleet_search_path(),
                    spool.folder().string(),
                    "queue",
                    std::to_string(count),
                    std::to_string(at_once),
                    "slurm",
                    "pilots=8,idle=120,program=" + program_path(),
                    "--server=" + judge_script(judge_ms) + " --at-once=2"};
    command.env = environment_subset({"PATH", "HOME", "USER", "SLURM_CONF"});
    command.env.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    return std::move(ChildProcess::start(command)).value();
  }

  /// One word for the pilots' command line.
  std::string judge_script(int judge_ms) {
    const auto path = folder_.path() / "judge.sh";
    EXPECT_TRUE(write_file(path, "#!/bin/sh\nexec '" + fake_worker_path() + "' --serve '" +
                                     log().string() + "' " + std::to_string(judge_ms) + "\n")
                    .ok());
    ::chmod(path.c_str(), 0755);
    return path.string();
  }

  /// The program with one size on the SIMT machine, judged by pilots of Slurm.
  ProcessExit run_over_slurm(std::vector<std::string> words, const std::string& size) {
    Command command;
    command.argv = {program_path()};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    for (const std::string& more :
         {"--worker=slurm:pilots=2,idle=30,spool=" + (folder_.path() / "spool").string(),
          std::string("--device=simt"), std::string("--checks=fast"),
          std::string("--trial-limit=600s")})
      command.argv.push_back(more);
    if (!size.empty()) command.argv.push_back("--sizes=" + size);
    command.env = environment_subset({"PATH", "SLURM_CONF"});
    command.env.push_back("HOME=" + folder_.path().string());
    command.cwd = folder_.path();
    command.limits.wall = std::chrono::seconds(900);  // of a busy machine
    auto exit = run_process(command);
    EXPECT_TRUE(exit.ok());
    return exit.ok() ? std::move(*exit) : ProcessExit{};
  }

  /// A model whose only answer is this source.
  std::string a_model_that_says(const std::string& source) {
    const auto program = folder_.path() / "answer.sh", answer = folder_.path() / "a.md";
    EXPECT_TRUE(write_file(answer, "```cuda\n" + source + "\n```\n").ok());
    EXPECT_TRUE(
        write_file(program, "#!/bin/sh\ncat > /dev/null\ncat '" + answer.string() + "'\n").ok());
    ::chmod(program.c_str(), 0755);
    return "exec:" + program.string();
  }

  static int running(const Spool& spool) { return static_cast<int>(pilots_of(spool).size()); }
};

TEST_F(RealSlurm, AThousandJobsSurviveEverything) {
  SlurmCluster cluster(4);
  ASSERT_FALSE(HasFailure());
  const Spool spool = make_spool(4);
  constexpr int kJobs = 1000;
  auto first = start_search(spool, kJobs, 128, 20);
  ASSERT_TRUE(comes_true([&] { return running(spool) >= 8; }, 120)) << cluster.tool({"squeue"});
  const auto ended = [&] { return judgements_in(log()).ended.size(); };
  // Two pilots are killed with their whole batch step, one is cancelled, a node is drained, the
  // controller dies and comes back, and the search is killed and started again.
  ASSERT_TRUE(comes_true([&] { return ended() > 100; }, 120));
  auto cards = pilots_of(spool);
  ASSERT_GE(cards.size(), 3U);
  auto card = cards.begin();
  ::kill(static_cast<pid_t>((card++)->second.pid), SIGKILL);
  ::kill(static_cast<pid_t>((card++)->second.pid), SIGKILL);
  cluster.tool({"scancel", (card++)->second.batch});
  cluster.drain(3);
  ASSERT_TRUE(comes_true([&] { return ended() > 300; }, 120));
  first.kill();
  cluster.restart_controller();
  auto second = start_search(spool, kJobs, 128, 20);
  const auto last = second.read_line(std::chrono::seconds(300));
  EXPECT_THAT(last.line, HasSubstr("1000 judged, 0 failed")) << cluster.tool({"squeue"});
  const Judgements seen = judgements_in(log());
  EXPECT_EQ(seen.ended.size(), static_cast<std::size_t>(kJobs));
  int again = 0;
  for (const auto& [job, times] : seen.ended) EXPECT_EQ(times, 1) << job;
  for (const auto& [job, times] : seen.begun) again += times - 1;
  EXPECT_LE(again, 3 * 3);  // what three pilots had when they ended
  std::printf("%d of %d judgements were begun again\n", again, kJobs);
}

TEST_F(RealSlurm, IsFastEnough) {
  SlurmCluster cluster(4);
  ASSERT_FALSE(HasFailure());
  const Spool spool = make_spool(30);
  {  // pilots that are there already
    const auto warm = start_search(spool, 5000, 256, 0);
    ASSERT_TRUE(comes_true([&] { return running(spool) >= 8; }, 120)) << cluster.tool({"squeue"});
  }
  spool.forget("queue");
  ASSERT_TRUE(comes_true([&] { return spool.waiting_count() == 0; }));
  constexpr int kJobs = 1000, kPilots = 8;
  auto timed = start_search(spool, kJobs, 128, 0);
  const auto line = timed.read_line(std::chrono::seconds(300)).line;
  ASSERT_THAT(line, HasSubstr("1000 judged, 0 failed"));
  const double seconds = std::strtod(line.substr(line.rfind(", ") + 2).c_str(), nullptr);
  const double rate = kJobs / seconds, each_ms = 1e3 * kPilots * seconds / kJobs;
  double load = 0;
  ::getloadavg(&load, 1);
  std::printf("%.0f jobs/s, %.1f ms of a pilot per job, load %.1f\n", rate, each_ms, load);
  if (load > 8 && rate < 150) GTEST_SKIP() << "the machine has other work";
  EXPECT_GE(rate, 150);
  EXPECT_LE(each_ms, 50);
}

TEST_F(RealSlurm, ASearchOnTheSimtMachineGoesThroughIt) {
  SlurmCluster cluster(1);
  ASSERT_FALSE(HasFailure());
  const auto task = suite::load_embedded_task("copy").value();
  const auto exit =
      run_over_slurm({"run", "copy", "--model=exec:" + (folder_.path() / "answer.sh").string(),
                      "--candidates=1", "--depth=1", "--repairs=0", "--rule-set=free", "--quiet"},
                     task.sizes.front().label);
  EXPECT_EQ(exit.exit_code, 0) << exit.out << exit.err << cluster.tool({"squeue"});
  const auto spool = Spool::open(folder_.path() / "spool").value();
  // The candidate and the baseline; a card says so with its next heartbeat.
  EXPECT_TRUE(comes_true([&] { return standing_of(spool).judged >= 2; }));
}

constexpr std::string_view kTunable = R"(#define THREADS 256  // tune: THREADS = 64, 256
__global__ void copy(const float* a, float* b, int count) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < count) b[i] = a[i];
}
extern "C" void solve(const float* A, float* B, int N) {
  const int count = N * N;
  copy<<<(count + THREADS - 1) / THREADS, THREADS>>>(A, B, count);
}
)";

TEST_F(RealSlurm, EveryVerbThatJudgesGoesThroughIt) {
  SlurmCluster cluster(1);
  ASSERT_FALSE(HasFailure());
  const std::string size = suite::load_embedded_task("copy").value().sizes.front().label;
  const std::string file = (folder_.path() / "copy.cu").string();
  EXPECT_TRUE(write_file(file, kTunable).ok());
  const auto judged = run_over_slurm({"eval", "copy", file, "--quiet"}, size);
  EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err << cluster.tool({"squeue"});
  EXPECT_THAT(judged.out, HasSubstr("ok at stage measure"));
  const auto tuned = run_over_slurm({"tune", "copy", file, "--budget=4", "--json"}, size);
  EXPECT_EQ(tuned.exit_code, 0) << tuned.out << tuned.err;
  const auto parsed = parse_json(tuned.out, "what tune printed");
  ASSERT_TRUE(parsed.ok()) << tuned.out;
  EXPECT_TRUE(std::filesystem::exists(file + ".tuned.cu") ||
              std::filesystem::exists(folder_.path() / "copy.tuned.cu"));
  const auto compared = run_over_slurm({"compare", "copy", file, "baseline"}, size);
  EXPECT_LE(compared.exit_code, 1) << compared.out << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("SIMT machine"));
  const auto campaign =
      run_over_slurm({"campaign", "run", "copy,reverse", "--budget=evaluations=2",
                      "--model=" + a_model_that_says(std::string(kTunable)), "--candidates=1",
                      "--depth=1", "--repairs=0", "--rule-set=free"},
                     "");
  EXPECT_EQ(campaign.exit_code, 0) << campaign.out << campaign.err;
  const auto bench = run_over_slurm({"bench", "--tasks=copy", "--quick", "--no-slow"}, "");
  EXPECT_EQ(bench.exit_code, 0) << bench.out << bench.err;
  // The kernel and its baseline, two configurations, the bench's baseline.
  const auto spool = Spool::open(folder_.path() / "spool").value();
  EXPECT_TRUE(comes_true([&] { return standing_of(spool).judged >= 4; }));
}

}  // namespace
}  // namespace warpwright::fleet
