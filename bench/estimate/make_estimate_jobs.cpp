// SPDX-License-Identifier: Apache-2.0
// make_estimate_jobs FOLDER [DEVICE]: job directories FOLDER/jobs/TASK.KERNEL, to time every kernel
// of bench/estimate_kernels, tests/honest and our baselines at two sizes per task, and
// FOLDER/winners/TASK.winner(_free), the published kernels at all of their tasks' sizes (times of
// an H200 stand in their heads). DEVICE is that of the judging machine, default cuda.
// bench/run_jobs FOLDER runs them.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "base/files.h"
#include "evaluate/job.h"
#include "suite/load.h"
#include "support/places.h"
#include "support/zoo.h"

namespace {

using namespace warpwright;
namespace fs = std::filesystem;

struct SizeRow {
  std::string_view task, small, large;
  /// A size that the task does not have, where those it has are tiny or huge: this scalar...
  std::string_view scalar = {};
  double value = 0;  ///< ... set to this in the first size
};
constexpr SizeRow kSizes[] = {
    {"add_rmsnorm", "256x4096", "4096x4096"},
    {"conv2d", "512x512", "2048x2048"},
    {"copy", "1024^2", "4096^2"},
    {"cross_entropy", "N=2^16,C=10", "N=2^20,C=10"},
    {"dot", "2^20", "2^24", "N", 1 << 24},
    {"histogram", "2^20", "2^24"},
    {"layernorm", "16x4x128x128", "16x4x512x512"},
    {"matmul", "M=2^7", "M=2^10", "M", 1 << 7},
    {"maxpool3d", "24^3", "48^3"},
    {"monte_carlo", "2^18", "2^22"},
    {"mse", "2^18", "2^24", "N", 1 << 24},
    {"ols", "n=2^16,p=10", "n=2^20,p=10"},
    {"reduce", "2^18", "2^24", "N", 1 << 24},
    {"relu", "2^20", "2^24"},
    {"reverse", "2^20", "2^24"},
    {"scan", "2^18", "2^24", "N", 1 << 24},
    {"sigmoid", "16x2^14", "2^24", "N", 1 << 24},
    {"sort", "2^10", "2^13"},
    {"spmv_csr", "2^16 rows, 32 each", "2^20 rows, 27 each"},
    {"swiglu", "256x14336", "2048x14336"},
    {"topk", "N=2^16,k=256", "N=2^18,k=512"},
    {"transpose", "1024^2", "4096^2"},
};

struct Kernel {
  std::string name, source;
  std::string front_end = "auto";
};

Result<Task> task_with_sizes(const SizeRow& row) {
  WW_TRY(Task task, suite::load_embedded_task(std::string(row.task)));
  if (!row.scalar.empty()) {
    TaskSize size = task.sizes.front();
    size.label = size_labelled(task, std::string(row.small)) == nullptr ? row.small : row.large;
    size.values[std::string(row.scalar)] = row.value;
    task.sizes.push_back(size);
  }
  return task;
}

Result<std::vector<Kernel>> kernels_of(const Task& task, const std::vector<ZooMember>& zoo) {
  const fs::path root(source_path());
  std::vector<Kernel> kernels = {{"baseline", task.baseline_source}};
  if (!task.slow_source.empty()) kernels.push_back({"slow", task.slow_source});
  for (const ZooMember& member : zoo) {
    if (member.task != task.name || !member.name.starts_with("honest.") || member.needs_gpu)
      continue;
    const bool nvcc = member.name.ends_with("_nvcc");
    kernels.push_back({member.name, member.source, nvcc ? "nvcc" : "auto"});
  }
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(root / "bench" / "estimate_kernels" / task.name, error)) {
    WW_TRY(std::string source, read_file(entry.path()));
    kernels.push_back({"variant." + entry.path().stem().string(), std::move(source)});
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const Kernel& a, const Kernel& b) { return a.name < b.name; });
  return kernels;
}

Result<evaluate::JobRequest> request_of(const Task& task, const Kernel& kernel,
                                        const std::string& device) {
  evaluate::JobRequest request;
  request.id = task.name + "." + kernel.name;
  request.task = task;
  request.source = kernel.source;
  request.is_baseline = true;
  request.timing_only = true;
  WW_TRY(request.device, chosen<DeviceName>(device, "the device"));
  WW_TRY(request.front_end, chosen<FrontEndChoice>(kernel.front_end, "the front end"));
  request.sanitize = "off";
  request.checks = "fast";
  request.cache = "../../cache";
  return request;
}

Status write_variants(const fs::path& folder, const std::string& device) {
  WW_TRY(const auto zoo, load_zoo(fs::path(source_path()) / "tests"));
  for (const SizeRow& row : kSizes) {
    WW_TRY(const Task task, task_with_sizes(row));
    WW_TRY(const auto kernels, kernels_of(task, zoo));
    for (const Kernel& kernel : kernels) {
      WW_TRY(evaluate::JobRequest request, request_of(task, kernel, device));
      request.sizes = {std::string(row.small), std::string(row.large)};
      WW_CHECK(evaluate::JobDirectory(folder / "jobs" / request.id).write_request(request));
    }
  }
  return {};
}

Status write_winners(const fs::path& folder, const std::string& device) {
  for (const auto& [name, place] :
       {std::pair{"winner", "kernels"}, {"winner_free", "kernels/free"}}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(source_path()) / place, error)) {
      if (entry.path().extension() != ".cu") continue;
      WW_TRY(const Task task, suite::load_embedded_task(entry.path().stem().string()));
      WW_TRY(const std::string source, read_file(entry.path()));
      WW_TRY(evaluate::JobRequest request, request_of(task, {name, source}, device));
      for (const TaskSize& size : task.sizes) request.sizes.push_back(size.label);
      WW_CHECK(evaluate::JobDirectory(folder / "winners" / request.id).write_request(request));
    }
  }
  return {};
}

Status write_all(const fs::path& folder, const std::string& device) {
  WW_CHECK(write_variants(folder, device));
  WW_CHECK(write_winners(folder, device));
  return write_file(folder / "bench.json", "{}\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: make_estimate_jobs FOLDER [DEVICE]\n");
    return 2;
  }
  const Status written = write_all(argv[1], argc > 2 ? argv[2] : "cuda");
  if (written.ok()) return 0;
  std::fprintf(stderr, "make_estimate_jobs: %s\n", written.error().message.c_str());
  return 1;
}
