// SPDX-License-Identifier: Apache-2.0
// careful_times [--at-once N] JOBDIR...: how long the SIMT machine's checks before the GPU take for
// each job, on a host without one, and what they find. N jobs at a time share one process, as in a
// worker. MALLOC_ARENA_MAX=1 in the environment shows what a single arena costs them.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "evaluate/bounds_run.h"
#include "evaluate/careful_run.h"
#include "evaluate/judgement.h"

namespace {

using namespace warpwright;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_faults(const evaluate::CarefulRun& run) {
  for (const device::Fault& fault : run.faults)
    std::printf("    %s: %s\n", std::string(name_of(fault.verdict)).c_str(), fault.message.c_str());
}

void print_times(const std::string& name, double accesses_s, double bounds_s,
                 const evaluate::CarefulRun& careful, const evaluate::CarefulRun& bounds) {
  std::printf("%-60s accesses %6.1f s, bounds %6.1f s, %zu faults%s%s%s\n", name.c_str(),
              accesses_s, bounds_s, careful.faults.size() + bounds.faults.size(),
              careful.complete ? "" : ", not complete: ", careful.why_not.c_str(),
              careful.remark.empty() ? "" : ", not every case");
  print_faults(careful);
  print_faults(bounds);
  std::fflush(stdout);
}

/// False: the job could not be read.
bool time_job(const std::filesystem::path& folder, const std::filesystem::path& scratch,
              evaluate::Station& station) {
  auto request = evaluate::JobDirectory(folder).read_request();
  if (!request.ok()) {
    std::fprintf(stderr, "%s: %s\n", folder.c_str(), request.error().message.c_str());
    return false;
  }
  request->device = "simt";
  request->front_end = "nvcc";
  if (!request->seed) request->seed = 4711;  // the same cases each time
  request->cache = scratch / "cache";
  const StopSignal stop;
  const std::string name = folder.filename();
  evaluate::Context context = evaluate::make_context(*request, scratch / name, station, stop);
  auto source = std::make_shared<const evaluate::Source>(evaluate::Source{*request});
  auto prepared = evaluate::prepare(std::move(source), context);
  if (!prepared.ok()) {
    std::printf("%-60s not prepared: %s\n", name.c_str(),
                evaluate::reason_of(prepared.error()).c_str());
    return true;
  }
  auto start = std::chrono::steady_clock::now();
  const evaluate::CarefulRun careful = evaluate::run_carefully(*prepared, context);
  const double accesses_s = seconds_since(start);
  start = std::chrono::steady_clock::now();
  const evaluate::CarefulRun bounds = evaluate::run_within_bounds(*prepared, context);
  print_times(name, accesses_s, seconds_since(start), careful, bounds);
  return true;
}

bool time_jobs(const std::vector<std::string>& folders, int at_once,
               const std::filesystem::path& scratch) {
  evaluate::Station station;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> good{true};
  std::vector<std::jthread> threads;
  for (int t = 0; t < at_once; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < folders.size(); i = next++)
        if (!time_job(folders[i], scratch, station)) good = false;
    });
  }
  threads.clear();
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> folders(argv + 1, argv + argc);
  int at_once = 1;
  if (folders.size() > 2 && folders.front() == "--at-once") {
    at_once = std::max(1, std::atoi(folders[1].c_str()));
    folders.erase(folders.begin(), folders.begin() + 2);
  }
  if (folders.empty()) {
    std::fprintf(stderr, "usage: careful_times [--at-once N] JOBDIR...\n");
    return 2;
  }
  auto scratch = TemporaryDirectory::create("careful-times");
  if (!scratch.ok()) return 2;
  const auto start = std::chrono::steady_clock::now();
  const bool good = time_jobs(folders, at_once, scratch->path());
  std::printf("%zu jobs, %d at a time: %.1f s\n", folders.size(), at_once, seconds_since(start));
  return good ? 0 : 2;
}
