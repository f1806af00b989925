// SPDX-License-Identifier: Apache-2.0
#include "port/hip_unit.h"

#include <sys/stat.h>

#include "base/files.h"
#include "base/sha256.h"
#include "port/hip_headers.h"
#include "port/source_text.h"
#include "port/translate.h"

namespace warpwright::port {

namespace fs = std::filesystem;

namespace {

Status write_compatibility(const fs::path& folder) {
  for (const CompatibilityFile& file : compatibility_files(Direction::to_hip)) {
    WW_CHECK(write_file(folder / file.name, file.content));
    ::chmod((folder / file.name).c_str(), 0644);
  }
  return {};
}

}  // namespace

bool is_hip_source(std::string_view text) {
  const SourceText source(text);
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source.token(i).kind == TokenKind::header_name &&
        source.at(i).substr(1).starts_with("hip/"))
      return true;
  return false;
}

std::string as_hip(std::string_view source) {
  if (is_hip_source(source)) return std::string(source);
  TranslateOptions options;
  options.unit = true;
  options.own_names = own_names_of(source);
  options.project_header = [](std::string_view, bool) { return std::optional<std::string>(); };
  return translate(source, options).text;
}

Result<CompileOutcome> compile_hip_source(std::string_view source, const std::string& name,
                                          const std::string& target,
                                          const sandbox::Sandbox& sandbox, const StopSignal* stop) {
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-hip-"));
  ::chmod(folder.path().c_str(), 0755);
  WW_CHECK(write_compatibility(folder.path()));
  WW_CHECK(write_file(folder.path() / name, source));
  ::chmod((folder.path() / name).c_str(), 0644);
  CarriedProject project;
  project.root = project.folder = folder.path();
  project.files = {name};
  project.flags.includes = {folder.path().string()};
  project.units = {{folder.path() / name, name, folder.path() / name, true}};
  const PortTools tools = find_port_tools();
  WW_TRY(auto outcomes,
         compile_project(project, Direction::to_hip, {target}, tools, sandbox, stop));
  CompileOutcome outcome = std::move(outcomes.front());
  if (!outcome.compiles) return Error{"cannot compile for " + target + ": " + outcome.reason};
  return outcome;
}

Status write_machine_headers(const fs::path& folder) {
  WW_CHECK(write_hip_headers(folder));
  return write_compatibility(folder);
}

std::string machine_headers_digest() {
  std::string all = hip_headers_text();
  for (const CompatibilityFile& file : compatibility_files(Direction::to_hip)) all += file.content;
  return sha256_hex(all);
}

}  // namespace warpwright::port
