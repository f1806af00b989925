// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "core/evaluation_json.h"
#include "evaluate/replay_only.h"
#include "evaluate/runner.h"
#include "evaluate/supervisor.h"
#include "evaluate/worker.h"

namespace warpwright::cli {

namespace {

struct WorkerFlags {
  std::vector<std::string> folders;
  bool serve = false;
  bool runner = false;
  bool again = false;
  bool replay_only = false;
  std::string size;
  int at_once = 6;
};

evaluate::SupervisorOptions supervisor_options(const WorkerFlags& flags) {
  return {
      .runner = {own_program(), "worker", "--runner", "--at-once", std::to_string(flags.at_once)}};
}

int judge_one(const std::string& folder) {
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  evaluate::Station station;
  const auto result = evaluate::work(evaluate::JobDirectory(folder), "", station, stop);
  if (!result.ok()) return fail(result.error());
  if (result->verdict == Verdict::harness_error) return fail(Error{result->reason});
  std::printf("%s\n", std::string(name_of(result->verdict)).c_str());
  if (station.worn()) {
    // A kernel that still runs on a GPU would hold up a normal exit. The result is on disk.
    std::fflush(nullptr);
    std::_Exit(result->valid() ? kOk : kBad);
  }
  return result->valid() ? kOk : kBad;
}

/// Prints each job as it is done; the worst of their exit codes.
int judge_many(const WorkerFlags& flags) {
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  evaluate::Supervisor supervisor(supervisor_options(flags), stop);
  std::vector<evaluate::JobDirectory> jobs;
  for (const std::string& folder : flags.folders) {
    const evaluate::JobDirectory job(absolute_path(folder));
    if (!flags.again && job.has_result()) continue;
    jobs.push_back(job);
  }
  if (jobs.size() < flags.folders.size()) {
    std::printf("%zu of %zu have a result already (--again judges them once more)\n",
                flags.folders.size() - jobs.size(), flags.folders.size());
  }
  int worst = kOk;
  std::size_t count = 0;
  evaluate::judge_all(
      jobs, supervisor, [&](const evaluate::JobDirectory& job, const Status& judged) {
        const auto result = judged.ok() ? job.read_result() : Result<Evaluation>(judged.error());
        const bool failed = !result.ok() || result->verdict == Verdict::harness_error;
        worst = std::max<int>(worst, failed ? kFailed : result->valid() ? kOk : kBad);
        std::printf("%zu/%zu %s %s%s%s\n", ++count, jobs.size(),
                    result.ok() ? std::string(name_of(result->verdict)).c_str() : "failed",
                    job.path().filename().c_str(), failed ? ": " : "",
                    !result.ok() ? result.error().message.c_str()
                    : failed     ? result->reason.c_str()
                                 : "");
        std::fflush(stdout);
      });
  return stop.requested() ? kInterrupted : worst;
}

/// Under a tool that watches: the plans are run, nothing is judged.
int replay(const WorkerFlags& flags) {
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  evaluate::Station station;
  const Status done = evaluate::replay_only(evaluate::JobDirectory(flags.folders.front()),
                                            flags.size, station, stop);
  return done.ok() ? kOk : fail(done.error());
}

/// Another descriptor for our lines. The CUDA driver writes what kernels print to standard output,
/// where it could pass for one of them.
Result<int> protocol_descriptor() {
  const int ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (ours < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
    return Error{std::string("cannot set standard output aside: ") + std::strerror(errno)};
  }
  close(nowhere);
  return ours;
}

int run_for_server(const WorkerFlags& flags) {
  const auto lines = protocol_descriptor();
  if (!lines.ok()) return fail(lines.error());
  StopSignal never;
  return evaluate::run_jobs(STDIN_FILENO, *lines, flags.at_once, never);
}

int work(const WorkerFlags& flags) {
  StopSignal never;
  if (flags.runner) return run_for_server(flags);
  if (flags.serve) {
    evaluate::Supervisor supervisor(supervisor_options(flags), never);
    return evaluate::serve(STDIN_FILENO, STDOUT_FILENO, supervisor);
  }
  if (flags.folders.empty()) {
    return fail(Error{"name a job directory, or --serve to read them from standard input"});
  }
  if (flags.replay_only) return replay(flags);
  if (flags.folders.size() == 1) return judge_one(flags.folders.front());
  return judge_many(flags);
}

}  // namespace

void add_worker(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<WorkerFlags>();
  verb.add_option("jobdir", flags->folders,
                  "folders with request.json and candidate.cu (docs/formats.md); several are "
                  "compiled in parallel and share one warm runner per device");
  verb.add_flag("--serve", flags->serve,
                "job folders as lines on standard input, \"done FOLDER\" on standard output");
  verb.add_flag("--again", flags->again, "also judge folders that have a result already");
  verb.add_flag("--runner", flags->runner, "the process that owns a device (used by --serve)")
      ->group("");
  verb.add_flag("--replay-only", flags->replay_only,
                "run the plans of small cases and judge nothing (used under compute-sanitizer)")
      ->group("");
  verb.add_option("--size", flags->size, "replay only this timed size")->group("");
  verb.add_option(
          "--at-once", flags->at_once,
          "trials that overlap: one is on the device, the others get ready or are compared; "
          "more where processors and memory are idle [6]")
      ->check(CLI::Range(1, 64));
  verb.callback([flags, &action] {
    action = [flags] {
      // Under root the sandbox is another user, who must be able to read what we write for it.
      ::umask(022);
      return work(*flags);
    };
  });
}

}  // namespace warpwright::cli
