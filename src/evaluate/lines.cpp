// SPDX-License-Identifier: Apache-2.0
#include "evaluate/lines.h"

#include <cerrno>

#include <unistd.h>

#include "base/spawn.h"

namespace warpwright::evaluate {

namespace {

constexpr std::string_view kPrepared = "prepared ";
constexpr std::size_t kDigestDigits = 64;

}  // namespace

std::string line_of(const JobLine& job) {
  if (job.digest.empty()) return job.folder;
  return std::string(kPrepared) + job.digest + ' ' + job.folder;
}

JobLine job_line(std::string_view line) {
  const std::size_t head = kPrepared.size() + kDigestDigits;
  if (!line.starts_with(kPrepared) || line.size() <= head || line[head] != ' ') {
    return {std::string(line), ""};
  }
  return {std::string(line.substr(head + 1)),
          std::string(line.substr(kPrepared.size(), kDigestDigits))};
}

std::optional<std::string> LineReader::next() {
  while (true) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    char buffer[4096];
    const ssize_t got = ::read(fd_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    pending_.append(buffer, static_cast<std::size_t>(got));
  }
}

bool LineWriter::write(std::string_view line) {
  std::string text(line);
  text += '\n';
  const std::lock_guard hold(mutex_);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write_without_sigpipe(fd_, std::string_view(text).substr(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace warpwright::evaluate
