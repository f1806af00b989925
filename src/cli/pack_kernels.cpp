// SPDX-License-Identifier: Apache-2.0
#include "cli/pack_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "cli/task_named.h"
#include "port/hip_unit.h"
#include "profile/roofline.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKernelText = std::size_t{1} << 20;
// A pack holds many kernels, and each one's inputs travel with it.
constexpr std::uint64_t kPackTestBytes = std::uint64_t{1} << 20;

Status add_folder(const fs::path& folder, bool apart, std::vector<KernelPath>& found) {
  std::error_code code;
  auto entries = fs::directory_iterator(folder, code);
  if (code)
    return Error{
        fmt::format("cannot look into '{}': {}; name a folder of kernels, as "
                    "'warpwright export RUN --kernels FOLDER' writes it",
                    folder.string(), code.message())};
  for (const auto& entry : entries) {
    if (entry.path().extension() != ".cu" || !entry.is_regular_file(code)) continue;
    found.push_back({entry.path(), entry.path().stem().string(), apart});
  }
  return {};
}

Status check_names_of(const std::vector<KernelPath>& found, const std::vector<std::string>& tasks) {
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i - 1].folder() == found[i].folder())
      return Error{fmt::format("'{}' and '{}' would both be packed as '{}'",
                               found[i - 1].file.string(), found[i].file.string(),
                               found[i].folder())};
  for (const std::string& task : tasks)
    if (std::none_of(found.begin(), found.end(), [&](const auto& k) { return k.task == task; }))
      return Error{fmt::format("--tasks: there is no kernel for '{}'", task)};
  return {};
}

const DeviceFacts* facts_of(const std::string& description) {
  const DeviceFacts* longest = nullptr;
  for (const DeviceFacts& known : known_devices()) {
    if (description.find(known.name) == std::string::npos) continue;
    if (longest == nullptr || known.name.size() > longest->name.size()) longest = &known;
  }
  return longest;
}

/// The floor of the data sheet. Where launches decide, it says nothing of a kernel.
void add_floor(const Task& task, const TaskSize& size, const std::string& device,
               report::PackSize& packed) {
  const DeviceFacts* facts = facts_of(device);
  if (facts == nullptr) return;
  const auto roof = profile::roofline(task, size, *facts);
  if (!roof.ok() || roof->floor_us <= 0) return;
  packed.floor_us = roof->floor_us;
  if (roof->regime != profile::Regime::launch && packed.run_us > 0)
    packed.share = roof->floor_us / packed.run_us;
}

std::string operator_name(const KernelPath& path) {
  return path.apart ? path.task + "_free" : path.task;
}

/// The operator's files, below torch/. A task of the module kind has a package with the module.
Result<Files> operator_files(const ReadKernel& kernel, const exchange::TestCase* test,
                             bool inputs_above) {
  const exchange::Winner& winner = kernel.judged.winner;
  if (!winner.task.torch.source.empty()) return exchange::torch_package(winner, nullptr);
  return exchange::plain_package(
      winner, operator_name(kernel.path), test,
      inputs_above ? exchange::InputsAt::above : exchange::InputsAt::here);
}

Result<std::optional<exchange::TestCase>> small_case(const Task& task) {
  WW_TRY(auto test, test_case(task, kPackTestBytes));
  if (test) return test;
  return test_case(task);
}

}  // namespace

Result<std::vector<KernelPath>> kernels_in(const std::vector<std::string>& folders,
                                           const std::vector<std::string>& tasks) {
  std::vector<KernelPath> found;
  std::error_code code;
  for (const std::string& folder : folders) {
    WW_CHECK(add_folder(folder, false, found));
    const fs::path free = fs::path(folder) / "free";
    if (fs::is_directory(free, code)) WW_CHECK(add_folder(free, true, found));
  }
  if (!tasks.empty())
    std::erase_if(found, [&](const KernelPath& kernel) {
      return std::find(tasks.begin(), tasks.end(), kernel.task) == tasks.end();
    });
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.folder() < b.folder(); });
  WW_CHECK(check_names_of(found, tasks));
  return found;
}

Result<std::optional<ReadKernel>> read_kernel(const KernelPath& path, const std::string& suite) {
  WW_TRY(const auto text, read_file(path.file, kMostKernelText));
  if (!bench::read_kernel_file(text)) return std::optional<ReadKernel>();
  std::error_code code;
  const fs::path own = fs::path(suite) / path.task;
  const bool in_suite = !suite.empty() && fs::exists(own / "task.toml", code);
  WW_TRY(auto task, task_named(in_suite ? own.string() : path.task));
  WW_TRY(auto judged, judged_from_text(std::move(task), text, path.file.string()));
  return std::optional(ReadKernel{path, std::move(judged)});
}

report::PackKernel packed(const ReadKernel& kernel) {
  const Task& task = kernel.judged.winner.task;
  const bench::KernelFile& file = *kernel.judged.file;
  report::PackKernel about;
  about.folder = kernel.path.folder();
  about.task = task.name;
  about.title = task.title;
  about.group = task.group;
  about.rule_set = file.origin.rule_set;
  about.device = file.origin.device;
  about.date = file.origin.date;
  about.model = file.origin.model;
  about.run = file.origin.run;
  about.commit = file.origin.commit;
  about.licence = file.licence;
  about.source = file.source;
  about.apart = kernel.path.apart;
  for (const Measurement& measured : file.origin.measurements) {
    report::PackSize size;
    size.label = measured.size;
    size.run_us = measured.median_us;
    size.estimated = measured.source == TimeSource::estimated;
    if (const TaskSize* known = size_labelled(task, measured.size)) {
      size.values = known->values;
      add_floor(task, *known, about.device, size);
    }
    about.sizes.push_back(std::move(size));
  }
  return about;
}

Result<Files> pack_files(const ReadKernel& kernel, report::PackKernel& about) {
  const Task& task = kernel.judged.winner.task;
  WW_TRY(const auto test, small_case(task));
  const exchange::TestCase* given = test ? &*test : nullptr;
  WW_TRY(auto files, export_folder(kernel_of_file(kernel.judged), {}, given));
  about.tested = files.contains("test.cu");
  // A kernel for a device of AMD is a text here.
  if (port::is_hip_source(kernel.judged.winner.source)) {
    about.tested = false;
    return without_cuda_parts(std::move(files));
  }
  WW_TRY(const auto parts, operator_files(kernel, given, about.tested));
  for (const auto& [name, content] : parts) files["torch/" + name] = content;
  const bool module = !task.torch.source.empty();
  const std::string name = module ? task.name : operator_name(kernel.path);
  about.torch = fmt::format("torch.ops.warpwright_{0}.{0}", name);
  if (parts.contains("test_" + name + ".py")) about.torch_test = "test_" + name + ".py";
  return files;
}

}  // namespace warpwright::cli
