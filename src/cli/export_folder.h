// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/export_build.h"
#include "core/task.h"
#include "exchange/plain_package.h"

namespace warpwright::cli {

/// Test inputs of more bytes do not travel with a kernel.
inline constexpr std::uint64_t kMostTestBytes = std::uint64_t{4} << 20;

/// A kernel, whether a run has found it or a file holds it.
struct KernelToExport {
  Task task;
  std::string source;
  std::string device;  ///< a described device's key, or the name that a live one has; may be empty
  std::string provenance;  ///< JSON
};

/// A call at the largest size whose buffers are small enough to travel; none where there is no
/// such.
Result<std::optional<exchange::TestCase>> test_case(const Task& task,
                                                    std::uint64_t most_bytes = kMostTestBytes);

/// The files of an exported kernel by name: kernel, header, a CMake file, baseline, provenance, and
/// with a case and a baseline a small host test with its inputs. `test` may be null.
Result<std::map<std::string, std::string>> export_folder(const KernelToExport& kernel,
                                                         const ExportNames& names,
                                                         const exchange::TestCase* test);

}  // namespace warpwright::cli
