// SPDX-License-Identifier: Apache-2.0
#include "cli/written_files.h"

#include <cstdio>

#include "base/files.h"
#include "port/hip_unit.h"

namespace warpwright::cli {

Files without_cuda_parts(Files files) {
  const auto kernel = files.find("kernel.cu");
  if (kernel == files.end() || !port::is_hip_source(kernel->second)) return files;
  std::erase_if(files, [](const auto& file) {
    return file.first != "kernel.cu" && file.first != "kernel.h" &&
           file.first != "provenance.json" && file.first != "reference.py";
  });
  return files;
}

Status may_write_to(const std::filesystem::path& folder, bool force) {
  std::error_code code;
  const bool there = std::filesystem::exists(folder, code);
  if (force || !there) return {};
  const bool empty = std::filesystem::is_empty(folder, code);
  if (code) return Error{"cannot look into '" + folder.string() + "': " + code.message()};
  if (empty) return {};
  return Error{"'" + folder.string() +
               "' is there already; name another folder with -o, or write over it with --force"};
}

Status write_files(const std::filesystem::path& folder, const Files& files, Say say) {
  for (const auto& [name, content] : files) {
    WW_CHECK(make_directories((folder / name).parent_path()));
    WW_CHECK(write_file(folder / name, content));
    if (say == Say::each_file) std::printf("%s\n", (folder / name).c_str());
  }
  return {};
}

}  // namespace warpwright::cli
