// SPDX-License-Identifier: Apache-2.0
#include "build/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "build/diagnostics.h"
#include "core/json_reader.h"

namespace warpwright::build {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr int kFormat = 2;

Json json_of(const Diagnostic& d) {
  return {{"severity", d.severity}, {"line", d.line}, {"column", d.column}, {"message", d.message}};
}

Json json_of(const KernelResources& r) {
  return {{"kernel", r.kernel},
          {"registers", r.registers},
          {"spill_store_bytes", r.spill_store_bytes},
          {"spill_load_bytes", r.spill_load_bytes},
          {"stack_bytes", r.stack_bytes},
          {"shared_bytes", r.shared_bytes},
          {"occupancy", r.occupancy}};
}

Json json_of(const ptx::CensusRow& r) {
  return {{"kind", r.kind}, {"count", r.count}, {"line", r.line}, {"example", r.example}};
}

template <class Items>
Json array_of(const Items& items) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(json_of(item));
  return array;
}

/// Throws what the JSON library throws; the caller catches it.
BuildOutcome outcome_from(const Json& root) {
  BuildOutcome outcome;
  if (root.at("format") != kFormat) throw std::runtime_error("another format");
  const auto verdict = verdict_named(root.at("verdict").get<std::string>());
  if (!verdict) throw std::runtime_error("unknown verdict");
  outcome.verdict = *verdict;
  outcome.reason = root.at("reason");
  outcome.front_end = front_end_named(root.at("front_end").get<std::string>()).value();
  for (const auto& item : root.at("diagnostics")) {
    outcome.diagnostics.push_back(
        {item.at("severity"), item.at("line"), item.at("column"), item.at("message")});
  }
  for (const auto& item : root.at("resources")) {
    outcome.resources.push_back({item.at("kernel"), item.at("registers"),
                                 item.at("spill_store_bytes"), item.at("spill_load_bytes"),
                                 item.at("stack_bytes"), item.at("shared_bytes"),
                                 item.at("occupancy")});
  }
  for (const auto& item : root.at("sass")) {
    outcome.sass.push_back(
        {item.at("kind"), item.at("count"), item.at("line"), item.at("example")});
  }
  return outcome;
}

}  // namespace

Result<std::string> read_product(const fs::path& path, std::size_t max_bytes) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts {};
  if (!file.valid() || ::fstat(file.get(), &facts) != 0) {
    return Error{"cannot open '" + path.string() + "': " + std::strerror(errno)};
  }
  if (!S_ISREG(facts.st_mode)) return Error{"'" + path.string() + "' is not a plain file"};
  return read_all(file.get(), max_bytes);
}

Result<fs::path> content_folder(const fs::path& folder,
                                const std::function<Status(const fs::path&)>& fill) {
  std::error_code code;
  if (fs::is_directory(folder, code)) return folder;
  WW_CHECK(make_directories(folder.parent_path()));
  std::string partial = folder.string() + ".partXXXXXX";
  if (::mkdtemp(partial.data()) == nullptr) {
    return Error{"cannot create '" + partial + "': " + std::strerror(errno)};
  }
  ::chmod(partial.c_str(), 0755);  // the sandbox's user must be able to read it
  Status status = fill(partial);
  if (status.ok() && ::rename(partial.c_str(), folder.c_str()) != 0 &&
      !fs::is_directory(folder, code)) {
    status = Error{"cannot rename to '" + folder.string() + "': " + std::strerror(errno)};
  }
  fs::remove_all(partial, code);
  if (!status.ok()) return status.error();
  return folder;
}

std::optional<BuildOutcome> load_outcome(const fs::path& folder) {
  const auto text = read_product(folder / "outcome.json");
  if (!text.ok()) return std::nullopt;
  BuildOutcome outcome;
  try {
    outcome = outcome_from(Json::parse(*text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
  outcome.from_cache = true;
  if (outcome.verdict != Verdict::ok) return outcome;
  const auto ptx = read_product(folder / "device.ptx");
  const auto library = read_product(folder / "host.so");
  if (!ptx.ok() || !library.ok()) return std::nullopt;
  auto entries = ptx::entries_of(*ptx);
  if (!entries.ok()) return std::nullopt;
  outcome.ptx = *ptx;
  outcome.host_library = *library;
  outcome.entries = *entries;
  outcome.census = ptx::census_of(outcome.ptx, kCandidateFile);
  if (const auto cubin = read_product(folder / "device.cubin"); cubin.ok()) outcome.cubin = *cubin;
  if (auto bounds = read_product(folder / "bounds.ptx"); bounds.ok()) outcome.bounds_ptx = *bounds;
  return outcome;
}

Status store_outcome(const fs::path& folder, const BuildOutcome& outcome) {
  const Json root = {{"format", kFormat},
                     {"verdict", name_of(outcome.verdict)},
                     {"reason", outcome.reason},
                     {"front_end", name_of(outcome.front_end)},
                     {"diagnostics", array_of(outcome.diagnostics)},
                     {"resources", array_of(outcome.resources)},
                     {"sass", array_of(outcome.sass)}};
  const auto stored = content_folder(folder, [&](const fs::path& partial) -> Status {
    if (outcome.verdict == Verdict::ok) {
      WW_CHECK(write_file(partial / "device.ptx", outcome.ptx));
      WW_CHECK(write_file(partial / "host.so", outcome.host_library));
      if (!outcome.bounds_ptx.empty())
        WW_CHECK(write_file(partial / "bounds.ptx", outcome.bounds_ptx));
      if (!outcome.cubin.empty()) WW_CHECK(write_file(partial / "device.cubin", outcome.cubin));
    }
    return write_file(partial / "outcome.json", dump_json(root, 1));
  });
  if (!stored.ok()) return stored.error();
  return {};
}

}  // namespace warpwright::build
