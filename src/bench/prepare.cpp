// SPDX-License-Identifier: Apache-2.0
#include "bench/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/files.h"
#include "bench/kernel_file.h"
#include "core/json_reader.h"

namespace warpwright::bench {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;
constexpr std::array<std::pair<KernelKind, const char*>, 3> kKinds = {
    {{KernelKind::slow, "slow"}, {KernelKind::baseline, "baseline"}, {KernelKind::given, "given"}}};

const char* name_of(KernelKind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](auto& row) { return row.first == kind; })
      ->second;
}

struct Kernel {
  BenchJob job;
  std::string source;
  std::string rule_set;  ///< empty = the benchmark's own
};

constexpr const char* kFree = "free";

std::string plain(std::string name) {
  for (char& c : name) {
    const bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '_' || c == '-' || c == '.';
    if (!fine) c = '_';
  }
  return name;
}

Result<std::vector<fs::path>> kernel_files(const fs::path& folder, const std::string& task) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_regular_file(folder / (task + ".cu"), error)) files.push_back(folder / (task + ".cu"));
  fs::directory_iterator entries(folder / task, error), end;
  for (; !error && entries != end; entries.increment(error)) {
    if (entries->path().extension() == ".cu") files.push_back(entries->path());
  }
  std::sort(files.begin(), files.end());
  const fs::path free = folder / kFree / (task + ".cu");
  if (fs::is_regular_file(free, error)) files.push_back(free);
  return files;
}

Result<std::vector<Kernel>> kernels_of(const Task& task, const PrepareOptions& options) {
  std::vector<Kernel> kernels;
  const auto add = [&](KernelKind kind, const std::string& name, std::string source) {
    kernels.push_back(
        {{task.name + "." + plain(name), task.name, name, kind}, std::move(source), ""});
  };
  if (options.slow && !task.slow_source.empty()) add(KernelKind::slow, "b0", task.slow_source);
  if (!task.baseline_source.empty()) add(KernelKind::baseline, "b1", task.baseline_source);
  if (options.kernels.empty()) return kernels;
  WW_TRY(const auto files, kernel_files(options.kernels, task.name));
  for (const auto& file : files) {
    WW_TRY(auto source, read_file(file, kMaxSourceBytes));
    if (const auto problem = kernel_file_problem(source, task.name)) {
      return Error{"'" + file.string() + "': " + *problem};
    }
    const bool free = file == options.kernels / kFree / (task.name + ".cu");
    add(KernelKind::given, "k." + (free ? kFree : file.stem().string()), std::move(source));
    if (free) kernels.back().rule_set = kFree;
  }
  return kernels;
}

/// The smallest size and the middle one.
std::vector<std::string> quick_sizes(const Task& task) {
  std::vector<std::string> labels;
  if (!task.sizes.empty()) labels.push_back(task.sizes.front().label);
  if (task.sizes.size() > 1) labels.push_back(task.sizes[task.sizes.size() / 2].label);
  return labels;
}

evaluate::JobRequest request_for(const Task& task, const Kernel& kernel,
                                 const PrepareOptions& options) {
  evaluate::JobRequest request = options.pattern;
  request.id = kernel.job.job;
  request.task = task;
  request.source = kernel.source;
  request.is_baseline = kernel.job.kind != KernelKind::given;
  request.timing_only = kernel.job.kind == KernelKind::slow ||
                        (kernel.job.kind == KernelKind::baseline && !options.validate);
  if (const auto rules = RuleSet::named(kernel.rule_set); rules && *rules != "") {
    request.rule_set = *rules;
  }
  if (options.quick) request.sizes = quick_sizes(task);
  request.cache = "../../cache";
  return request;
}

Status write_if_changed(const evaluate::JobDirectory& job, const evaluate::JobRequest& request) {
  const auto known = read_file(job.path() / "request.json");
  const auto source = read_file(job.path() / "candidate.cu", kMaxSourceBytes);
  const bool same = known.ok() && source.ok() && *source == request.source &&
                    *known == evaluate::request_to_json(request);
  if (same) return {};
  std::error_code ignored;
  fs::remove_all(job.path(), ignored);
  return job.write_request(request);
}

Status write_manifest(const fs::path& folder, const std::vector<Kernel>& kernels) {
  json list = json::array();
  for (const Kernel& kernel : kernels) {
    list.push_back({{"job", kernel.job.job},
                    {"task", kernel.job.task},
                    {"kernel", kernel.job.kernel},
                    {"kind", name_of(kernel.job.kind)}});
  }
  return write_file(folder / "bench.json",
                    dump_json({{"format", kFormat}, {"jobs", std::move(list)}}, 1));
}

/// What a comparator needs: the same sizes and the same inputs under the same names.
Status write_suite(const fs::path& folder, const PrepareOptions& options) {
  json tasks = json::array();
  for (const Task& task : options.tasks) {
    json sizes = json::array();
    const auto wanted = quick_sizes(task);
    for (const TaskSize& size : task.sizes) {
      if (options.quick && std::count(wanted.begin(), wanted.end(), size.label) == 0) continue;
      WW_TRY(const Values values, values_at(task, size));
      WW_TRY(const double bytes, least_bytes(task, size));
      WW_TRY(const double work, flops(task, size));
      sizes.push_back({{"label", size.label},
                       {"values", std::map<std::string, double>(values.begin(), values.end())},
                       {"bytes", bytes},
                       {"flops", work}});
    }
    json inputs = json::object();
    for (const auto& argument : task.arguments) {
      if (!argument.distribution.empty()) inputs[argument.name] = argument.distribution;
    }
    tasks.push_back({{"task", task.name}, {"sizes", sizes}, {"inputs", inputs}});
  }
  return write_file(folder / "suite.json", dump_json({{"format", kFormat}, {"tasks", tasks}}, 1));
}

/// A kernel file for no task is a slip of the user's: better said than skipped.
Status check_kernels_folder(const PrepareOptions& options) {
  if (options.kernels.empty()) return {};
  std::error_code error;
  if (!fs::is_directory(options.kernels, error)) {
    return Error{"--kernels: '" + options.kernels.string() + "' is not a folder"};
  }
  for (const Task& task : options.tasks) {
    WW_TRY(const auto files, kernel_files(options.kernels, task.name));
    if (!files.empty()) return {};
  }
  return Error{"--kernels: '" + options.kernels.string() +
               "' has no TASK.cu, TASK/*.cu or free/TASK.cu for any of the chosen tasks"};
}

}  // namespace

Status BenchFolder::prepare(const PrepareOptions& options) const {
  WW_CHECK(check_kernels_folder(options));
  WW_CHECK(make_directories(path_ / "jobs"));
  std::vector<Kernel> all;
  for (const Task& task : options.tasks) {
    WW_TRY(auto kernels, kernels_of(task, options));
    for (Kernel& kernel : kernels) {
      WW_CHECK(write_if_changed(job(kernel.job), request_for(task, kernel, options)));
      all.push_back(std::move(kernel));
    }
  }
  WW_CHECK(write_suite(path_, options));
  return write_manifest(path_, all);
}

Result<std::vector<BenchJob>> BenchFolder::jobs() const {
  auto text = read_file(path_ / "bench.json");
  if (!text.ok()) {
    return Error{"'" + path_.string() +
                 "' is no benchmark folder (`warpwright bench --prepare FOLDER` makes one): " +
                 text.error().message};
  }
  WW_TRY(const json document, parse_json(*text, (path_ / "bench.json").string()));
  JsonReader in(document, (path_ / "bench.json").string());
  if (in.integer("format") != kFormat) in.fail("format", "is not 1: written by another version");
  std::vector<BenchJob> jobs;
  for (const json& item : in.array("jobs")) {
    JsonReader row(item, "bench.json, jobs");
    BenchJob job{row.text("job"), row.text("task"), row.text("kernel")};
    const std::string kind = row.text("kind");
    const auto known =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return kind == k.second; });
    if (known == kKinds.end()) row.fail("kind", "is not slow, baseline or given");
    if (job.job.empty() || plain(job.job) != job.job || job.job[0] == '.') {
      row.fail("job", "is no folder name");
    }
    in.adopt(row);
    if (known != kKinds.end()) job.kind = known->first;
    jobs.push_back(std::move(job));
  }
  WW_CHECK(in.status());
  return jobs;
}

evaluate::JobDirectory BenchFolder::job(const BenchJob& job) const {
  return evaluate::JobDirectory(path_ / "jobs" / job.job);
}

bool BenchFolder::to_do(const BenchJob& one) const {
  const auto directory = job(one);
  if (!directory.has_result()) return true;
  const auto result = directory.read_result();
  return !result.ok() || result->verdict == Verdict::harness_error;
}

}  // namespace warpwright::bench
