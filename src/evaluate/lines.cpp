// SPDX-License-Identifier: Apache-2.0
#include "evaluate/lines.h"

#include <cerrno>

#include <unistd.h>

#include "base/spawn.h"

namespace warpwright::evaluate {

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
