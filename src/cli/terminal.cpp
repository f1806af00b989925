// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace warpwright::cli {

bool wants_colour(int descriptor) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return ::isatty(descriptor) == 1 && !dumb && (none == nullptr || *none == '\0');
}

std::size_t terminal_columns() {
  constexpr std::size_t kUsual = 80;
  winsize window{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 10) return window.ws_col;
  return kUsual;
}

Painter Painter::standard_output() { return Painter(wants_colour(STDOUT_FILENO)); }
Painter Painter::standard_error() { return Painter(wants_colour(STDERR_FILENO)); }

std::string Painter::painted(std::string_view how, std::string_view text) const {
  if (!colour_) return std::string(text);
  return std::string(how) + std::string(text) + "\033[0m";
}

std::string Painter::bold(std::string_view text) const { return painted("\033[1m", text); }
std::string Painter::dim(std::string_view text) const { return painted("\033[2m", text); }
std::string Painter::warning(std::string_view text) const { return painted("\033[33m", text); }
std::string Painter::verdict(std::string_view text, bool good) const {
  return painted(good ? "\033[1;32m" : "\033[1;31m", text);
}

}  // namespace warpwright::cli
