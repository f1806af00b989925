// SPDX-License-Identifier: Apache-2.0
// hostile_provider --scenario ACT,ACT,... --port-file F [--log F] [--answers DIR] [--port N]
//                  [--chunk-delay-ms N]
// Serves until its standard input ends or it is killed. `--scenario help` lists the acts.

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "support/hostile_provider.h"

namespace {

using warpwright::hostile::Options;

bool take(Options& options, std::string& port_file, std::string_view name, const char* value) {
  if (name == "--scenario")
    options.scenario = value;
  else if (name == "--port-file")
    port_file = value;
  else if (name == "--log")
    options.log = value;
  else if (name == "--answers")
    options.answers = value;
  else if (name == "--port")
    options.port = std::atoi(value);
  else if (name == "--chunk-delay-ms")
    options.chunk_delay_ms = std::atoi(value);
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string port_file;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!take(options, port_file, argv[i], argv[i + 1])) {
      std::fprintf(stderr, "hostile_provider: unknown option %s\n", argv[i]);
      return 2;
    }
  }
  if (options.scenario == "help") {
    for (const auto& name : warpwright::hostile::acts()) std::printf("%s\n", name.c_str());
    return 0;
  }
  const auto provider = warpwright::hostile::Provider::start(options);
  if (!provider.ok()) {
    std::fprintf(stderr, "hostile_provider: %s\n", provider.error().message.c_str());
    return 1;
  }
  const std::string port = std::to_string((*provider)->port());
  if (!port_file.empty()) {
    const auto written = warpwright::write_file(port_file, port + "\n");
    if (!written.ok()) {
      std::fprintf(stderr, "hostile_provider: %s\n", written.error().message.c_str());
      return 1;
    }
  }
  std::printf("%s\n", (*provider)->base_url().c_str());
  std::fflush(stdout);
  char buffer[256];
  while (::read(STDIN_FILENO, buffer, sizeof buffer) > 0) {
  }
  return 0;
}
