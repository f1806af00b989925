// SPDX-License-Identifier: Apache-2.0
//
// port_kit FOLDER LIST OUT
//
// Writes what a bare GPU host needs to prove ports (bench/port_h200). For each line
// NAME<tab>ARGUMENTS<tab>OTHERS... of LIST: the folder OUT/NAME with the original, the port to HIP,
// the port of that back to CUDA, the compiler's arguments for each and the program's own; and our
// headers that stand for HIP's on a GPU of NVIDIA. A line with a name alone is a program that is
// carried back and compiled, but not run.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "port/hip_headers.h"
#include "port/project.h"

namespace {

namespace fs = std::filesystem;
using namespace warpwright;

struct Row {
  std::string name, arguments;
  std::string others;  ///< arguments to try after those, a line each
  bool runs = false;
};

Result<std::vector<Row>> rows_of(const fs::path& list) {
  WW_TRY(const std::string text, read_file(list));
  std::vector<Row> rows;
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).empty()) continue;
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::size_t next = std::min(line.find('\t', tab + 1), line.size());
    const std::string name(line.substr(0, tab));
    // A list may be two, one behind the other: the first line of a program counts.
    const auto known = [&](const Row& row) { return row.name == name; };
    if (std::any_of(rows.begin(), rows.end(), known)) continue;
    std::string others(line.substr(std::min(next + 1, line.size())));
    std::replace(others.begin(), others.end(), '\t', '\n');
    rows.push_back({name, std::string(trimmed(line.substr(tab, next - tab))), std::move(others),
                    tab < line.size()});
  }
  return rows;
}

/// The one source below a folder; its headers do not count.
Result<fs::path> source_of(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder, code))
    for (const char* ending : {".cu", ".cpp", ".cc", ".c"})
      if (entry.path().extension() == ending) found.push_back(entry.path());
  if (found.size() != 1) return Error{"'" + folder.string() + "' has not one source"};
  return found.front();
}

Status copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::create_directories(to, code);
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, code);
  if (code) return Error{"cannot copy '" + from.string() + "': " + code.message()};
  return {};
}

/// A path of the original in its copy. What lies outside of the program's folder is copied, too.
Result<std::string> in_copy(const fs::path& path, const fs::path& root, const fs::path& copy,
                            int& outside) {
  const fs::path inner = path.lexically_relative(root);
  if (!inner.empty() && *inner.begin() != "..") return (fs::path("before") / inner).string();
  const std::string name = "outside_" + std::to_string(outside++);
  WW_CHECK(copy_folder(path, copy / name));
  return name;
}

std::string relative_to(const fs::path& path, const fs::path& folder) {
  return path.lexically_relative(folder).string();
}

/// The port, carried back to CUDA.
Status write_back(const port::CarriedProject& project, const fs::path& out) {
  WW_TRY(const auto back,
         port::carry_over({project.units.front().path, out / "back", port::Direction::to_cuda}));
  const fs::path place = absolute_path(out);
  std::string arguments;
  for (const std::string& define : project.flags.defines) arguments += "-D" + define + "\n";
  for (const std::string& each : back.flags.includes)
    arguments += "-I" + relative_to(each, place) + "\n";
  for (const port::Unit& unit : back.units) arguments += relative_to(unit.path, place) + "\n";
  return write_file(out / "back.nvcc", arguments);
}

Status write_program(const Row& row, const fs::path& folder, const fs::path& out) {
  WW_TRY(const fs::path source, source_of(folder / row.name));
  WW_TRY(const port::CarriedProject project,
         port::carry_over({source, out / "after", port::Direction::to_hip}));
  const fs::path root = absolute_path(project.root), place = absolute_path(out);
  WW_CHECK(copy_folder(root, out / "before"));
  std::string defines, before, after = "-I../headers\n";
  for (const std::string& define : project.flags.defines) defines += "-D" + define + "\n";
  int outside = 0;
  for (const fs::path& each : project.from_includes) {
    WW_TRY(const std::string copied, in_copy(absolute_path(each), root, out, outside));
    before += "-I" + copied + "\n";
  }
  for (const std::string& each : project.flags.includes)
    after += "-I" + relative_to(each, place) + "\n";
  for (const port::Unit& unit : project.units) {
    WW_TRY(const std::string copied, in_copy(absolute_path(unit.from), root, out, outside));
    before += copied + "\n";
    after += relative_to(unit.path, place) + "\n";
  }
  WW_CHECK(write_back(project, out));
  WW_CHECK(write_file(out / "before.nvcc", defines + before));
  WW_CHECK(write_file(out / "after.nvcc", defines + after));
  return write_file(out / "arguments", row.arguments + "\n" + row.others + "\n");
}

Status write_kit(const fs::path& folder, const fs::path& list, const fs::path& out) {
  WW_TRY(const auto rows, rows_of(list));
  WW_CHECK(make_directories(out));
  WW_CHECK(port::write_hip_headers(out / "headers"));
  std::string names, run;
  for (const Row& row : rows) {
    const Status written = write_program(row, absolute_path(folder), absolute_path(out / row.name));
    if (!written.ok()) return Error{row.name + ": " + written.error().message};
    names += row.name + "\n";
    if (row.runs) run += row.name + "\n";
  }
  WW_CHECK(write_file(out / "run", run));
  return write_file(out / "names", names);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("usage: port_kit FOLDER LIST OUT\n", stderr);
    return 2;
  }
  const Status written = write_kit(words[1], words[2], words[3]);
  if (written.ok()) return 0;
  std::fprintf(stderr, "port_kit: %s\n", written.error().message.c_str());
  return 2;
}
