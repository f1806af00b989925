// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace warpwright::evaluate {

// How the judge's processes speak with each other: one message per line.

/// "done FOLDER", "worn"; "waits" while another process has the GPU, "holds" when it is ours
inline constexpr std::string_view kDone = "done ";
inline constexpr std::string_view kWorn = "worn";
inline constexpr std::string_view kWaits = "waits";
inline constexpr std::string_view kHolds = "holds";

/// A job for a runner: "FOLDER", or "prepared DIGEST FOLDER" where another process has prepared it.
struct JobLine {
  std::string folder;
  std::string digest;
};
std::string line_of(const JobLine& job);
JobLine job_line(std::string_view line);

class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}
  /// Absent at the end of the input.
  std::optional<std::string> next();

 private:
  int fd_;
  std::string pending_;
};

/// Whole lines, also when several threads write. False when nobody reads any more.
class LineWriter {
 public:
  explicit LineWriter(int fd) : fd_(fd) {}
  bool write(std::string_view line);

 private:
  int fd_;
  std::mutex mutex_;
};

}  // namespace warpwright::evaluate
