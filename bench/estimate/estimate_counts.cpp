// SPDX-License-Identifier: Apache-2.0
// estimate_counts [--nvcc] JOBDIR...: each job on the SIMT machine, as its estimates are made (a
// sample of the blocks), one line of JSON per job and size on standard output: the estimate, and
// what the estimate is made from. --nvcc compiles with it in place of clang. bench/estimate_quality
// and bench/estimate_fit read it.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "device/device.h"
#include "evaluate/judgement.h"
#include "evaluate/measure.h"
#include "simt/estimate.h"

namespace {

using namespace warpwright;
using nlohmann::json;

constexpr std::uint64_t kSeed = 20260101;

json launch_json(const device::LaunchDetail& launch) {
  const simt::LaunchReport& r = launch.report;
  const simt::Counts c = simt::counts_of_work(r);
  json j = {{"kernel", launch.kernel},
            {"us", launch.estimate.us},
            {"occupancy", launch.estimate.occupancy},
            {"blocks_per_sm", launch.estimate.blocks_per_sm},
            {"blocks_total", r.blocks_total},
            {"blocks_run", r.blocks_run},
            {"block_threads", r.block.count()},
            {"touched_bytes", r.touched_bytes},
            {"touched_of_grid", r.touched_of_grid},
            {"shared_bytes", r.shared_bytes},
            {"registers", r.registers},
            {"local_bytes", r.local_bytes},
            {"most_waits", r.most_waits},
            {"shares_work", r.shares_work},
            {"load_sectors", c.global_load_sectors},
            {"store_sectors", c.global_store_sectors},
            {"load_requests", c.global_load_requests},
            {"store_requests", c.global_store_requests},
            {"load_bytes", c.global_load_bytes},
            {"store_bytes", c.global_store_bytes},
            {"shared_wavefronts", c.shared_wavefronts},
            {"atomic_requests", c.atomic_requests},
            {"atomic_lanes", c.atomic_lanes},
            {"atomic_lanes_shared", c.atomic_lanes_shared},
            {"atomic_serialised", c.atomic_serialised},
            {"atomic_serialised_shared", c.atomic_serialised_shared},
            {"atomic_hottest", c.atomic_hottest},
            {"atomic_hottest_switches", c.atomic_hottest_switches},
            {"barriers", c.barriers},
            {"branches", c.branches},
            {"divergent_branches", c.divergent_branches},
            {"local_sectors", c.local_sectors},
            {"longest_warp", c.longest_warp},
            {"chain_cycles", c.chain.cycles},
            {"chain_loads", c.chain.loads},
            {"chain_copies", c.chain.copies},
            {"tensor_flops", c.flops.tensor}};
  for (std::size_t k = 0; k < simt::kOpClasses; ++k)
    j["warps"][std::string(name_of(static_cast<simt::OpClass>(k)))] = c.by_class[k].warps;
  for (const simt::EstimatePart& part : launch.estimate.parts) j["parts"][part.name] = part.us;
  return j;
}

Status count_size(evaluate::Session& session, const TaskSize& size) {
  WW_TRY(const auto sampled,
         evaluate::run_sampled(session, size, evaluate::derived_seed(kSeed, 1)));
  const device::RunReport& report = sampled.report;
  json line = {{"job", session.prepared.request().id},
               {"task", session.task().name},
               {"size", size.label},
               {"estimate_us", report.elapsed_us},
               {"launches", json::array()}};
  if (!report.faults.empty()) line["fault"] = report.faults.front().kind.name();
  for (const Finding& finding : report.findings)
    if (finding.kind == "lower_bound") line["lower_bound"] = true;
  double other_us = report.elapsed_us;
  for (const device::LaunchDetail& launch : report.launches) {
    other_us -= launch.estimate.us;
    line["launches"].push_back(launch_json(launch));
  }
  line["other_us"] = other_us;  // copies and fills
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
  return {};
}

Status count_job(const std::filesystem::path& folder, bool nvcc) {
  WW_TRY(evaluate::JobRequest request, evaluate::JobDirectory(folder).read_request());
  request.device = "simt";
  request.checks = "fast";
  if (nvcc) request.front_end = "nvcc";
  if (request.cache.is_relative()) request.cache = folder / request.cache;
  WW_TRY(const auto scratch, TemporaryDirectory::create("estimate"));
  evaluate::Station station;
  const StopSignal stop;
  evaluate::Context context = evaluate::make_context(request, scratch.path(), station, stop);
  auto prepared = evaluate::prepare(
      std::make_shared<const evaluate::Source>(evaluate::Source{request}), context);
  if (!prepared.ok()) return Error{evaluate::reason_of(prepared.error())};
  WW_TRY(const auto lease, station.lease(prepared->target, context.deadline.remaining_s()));
  evaluate::Session session{.prepared = *prepared, .context = context, .device = *lease.device()};
  WW_TRY(const auto fault, evaluate::load(session));
  if (fault) return Error{fault->message};
  for (const TaskSize* size : prepared->timed) WW_CHECK(count_size(session, *size));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: estimate_counts [--nvcc] JOBDIR...\n");
    return 2;
  }
  int failed = 0;
  const bool nvcc = std::string_view(argv[1]) == "--nvcc";
  for (int i = nvcc ? 2 : 1; i < argc; ++i) {
    const Status counted = count_job(std::filesystem::absolute(argv[i]), nvcc);
    if (counted.ok()) continue;
    ++failed;
    std::fprintf(stderr, "%s: %s\n", argv[i], counted.error().message.c_str());
  }
  return failed == 0 ? 0 : 1;
}
