// SPDX-License-Identifier: Apache-2.0
// pack: a folder of kernels as folders that others can take, and a page to choose by.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/pack_kernels.h"
#include "cli/verbs.h"

namespace warpwright::cli {

namespace {

struct PackFlags {
  std::vector<std::string> folders;
  std::vector<std::string> tasks;
  std::string out;
  std::string bench;
  std::string suite;
  bool force = false;
};

/// ./kernels, or the one beside the program.
Result<std::vector<std::string>> folders_of(const PackFlags& flags) {
  if (!flags.folders.empty()) return flags.folders;
  const auto beside = std::filesystem::path(own_program()).parent_path() / "kernels";
  for (const auto& folder : {std::filesystem::path("kernels"), beside}) {
    std::error_code code;
    if (std::filesystem::is_directory(folder, code)) return std::vector{folder.string()};
  }
  return Error{"there is no folder 'kernels' here; name one: warpwright pack FOLDER -o PACK"};
}

/// What became of the files: packed kernels, and how many were refused.
struct Packed {
  report::Pack pack;
  int refused = 0;
};

/// One kernel, from its file to its folder. An error is the file's; nothing of it is written then.
Result<std::optional<report::PackKernel>> pack_one(const PackFlags& flags, const KernelPath& path) {
  WW_TRY(const auto kernel, read_kernel(path, flags.suite));
  if (!kernel) return std::optional<report::PackKernel>();
  report::PackKernel about = packed(*kernel);
  WW_TRY(const auto files, pack_files(*kernel, about));
  const auto folder = std::filesystem::path(flags.out) / about.folder;
  WW_CHECK(write_files(folder, files, Say::nothing));
  std::printf("%s: %zu files%s\n", folder.c_str(), files.size(),
              about.torch.empty() ? "" : (", " + about.torch).c_str());
  std::fflush(stdout);
  return std::optional(std::move(about));
}

Packed pack_all(const PackFlags& flags, const std::vector<KernelPath>& paths) {
  Packed result;
  for (const KernelPath& path : paths) {
    auto about = pack_one(flags, path);
    if (!about.ok()) {
      std::fprintf(stderr, "warpwright: refused: %s\n", about.error().message.c_str());
      ++result.refused;
    } else if (!about->has_value()) {
      std::fprintf(stderr, "warpwright: skipped: '%s' has no head that says where it comes from\n",
                   path.file.c_str());
    } else {
      result.pack.kernels.push_back(std::move(**about));
    }
  }
  return result;
}

Result<int> write_pack(const PackFlags& flags) {
  WW_TRY(const auto folders, folders_of(flags));
  WW_TRY(const auto paths, kernels_in(folders, flags.tasks));
  std::string bench;
  if (!flags.bench.empty()) {
    WW_TRY(bench, read_file(flags.bench));
    report::Pack nothing;  // what is no benchmark is known before anything is written
    WW_CHECK(report::add_bench(nothing, bench, flags.bench));
  }
  WW_CHECK(may_write_to(flags.out, flags.force));
  auto [pack, refused] = pack_all(flags, paths);
  if (pack.kernels.empty()) {
    if (refused > 0) return static_cast<int>(kBad);
    return Error{
        "there is no kernel with a head to pack: 'warpwright export RUN --kernels FOLDER' "
        "writes such files"};
  }
  pack.made_by = "warpwright " WARPWRIGHT_VERSION;
  pack.made_ms = SystemClock().unix_ms();
  if (!flags.bench.empty())
    WW_CHECK(
        report::add_bench(pack, bench, std::filesystem::path(flags.bench).filename().string()));
  const Files pages = {{"index.html", report::render(report::pack_page(pack)).html},
                       {"README.md", report::pack_markdown(pack)}};
  WW_CHECK(write_files(flags.out, pages, Say::each_file));
  return static_cast<int>(refused > 0 ? kBad : kOk);
}

}  // namespace

void add_pack(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<PackFlags>();
  verb.add_option("folder", flags->folders,
                  "folders of kernels with heads (docs/bench.md) [kernels, here or beside the "
                  "program]");
  verb.add_option("-o,--out", flags->out, "folder to write to")->required();
  verb.add_option("--bench", flags->bench,
                  "JSON of 'warpwright bench': times, baselines, comparators");
  verb.add_option("--tasks", flags->tasks, "only these, with commas [all]")->delimiter(',');
  verb.add_option("--suite", flags->suite,
                  "folder of task folders, for tasks that are not built in");
  verb.add_flag("-f,--force", flags->force, "write into a folder that is there already");
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = write_pack(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
