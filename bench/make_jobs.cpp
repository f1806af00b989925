// SPDX-License-Identifier: Apache-2.0
// make_jobs FOLDER [DEVICE]: a job directory per built-in task and kernel of ours (baseline, and
// slow where there is one), for machines that can judge but cannot read task folders.
#include <cstdio>
#include <string>

#include "evaluate/job.h"
#include "suite/load.h"

namespace {

using namespace warpwright;

Status write_job(const std::string& folder, const Task& task, const std::string& name,
                 const std::string& source, const std::string& device) {
  if (source.empty()) return {};
  evaluate::JobRequest request;
  request.id = task.name + "." + name;
  request.task = task;
  request.source = source;
  request.is_baseline = true;
  WW_TRY(request.device, chosen<DeviceName>(device, "the device"));
  request.limit_s = 300;
  return evaluate::JobDirectory(std::filesystem::path(folder) / request.id).write_request(request);
}

Status write_all(const std::string& folder, const std::string& device) {
  for (const std::string& name : suite::embedded_task_names()) {
    WW_TRY(const Task task, suite::load_embedded_task(name));
    WW_CHECK(write_job(folder, task, "baseline", task.baseline_source, device));
    WW_CHECK(write_job(folder, task, "slow", task.slow_source, device));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: make_jobs FOLDER [DEVICE]\n");
    return 2;
  }
  const Status written = write_all(argv[1], argc > 2 ? argv[2] : "cuda");
  if (written.ok()) return 0;
  std::fprintf(stderr, "make_jobs: %s\n", written.error().message.c_str());
  return 1;
}
