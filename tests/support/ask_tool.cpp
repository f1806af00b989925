// SPDX-License-Identifier: Apache-2.0
// What the tests need a whole process for.
//   ask_tool courier                       a courier: job on standard input
//   ask_tool ask SPEC BASE_URL SPOOL ID    asks the question on standard input, prints the outcome
// The key comes from the service's variable; ASK_TOOL_MAX_TOKENS and ASK_TOOL_DELAY_SCALE are
// options.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "llm/courier.h"
#include "llm/make_model.h"

namespace {

using warpwright::llm::Outcome;
using warpwright::llm::OutcomeKind;

void print(const Outcome& outcome) {
  const auto& usage = outcome.kind == OutcomeKind::answered ? outcome.reply.usage : outcome.wasted;
  const nlohmann::json line = {{"kind", static_cast<int>(outcome.kind)},
                               {"text", outcome.reply.text},
                               {"reasoning", outcome.reply.reasoning},
                               {"model", outcome.reply.model},
                               {"finish_reason", outcome.reply.finish_reason},
                               {"error", outcome.error},
                               {"retry", outcome.retry},
                               {"prompt_tokens", usage.total() - usage.output},
                               {"output_tokens", usage.output},
                               {"estimated", usage.estimated}};
  std::printf("%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int ask(char** argv, const std::string& self) {
  warpwright::llm::ModelOptions options{.spec = argv[2], .base_url = argv[3]};
  if (const char* scale = std::getenv("ASK_TOOL_DELAY_SCALE")) {
    options.delay_scale = std::atof(scale);
  }
  if (const char* limit = std::getenv("ASK_TOOL_MAX_TOKENS")) {
    options.max_output_tokens = std::atoll(limit);
  }
  const auto environment = warpwright::llm::process_environment(argv[4], {self, "courier"});
  auto model = warpwright::llm::make_model(options, environment);
  const auto prompt = warpwright::read_all(STDIN_FILENO);
  if (!model.ok() || !prompt.ok()) {
    std::fprintf(stderr, "ask_tool: %s\n",
                 (model.ok() ? prompt.error() : model.error()).message.c_str());
    return 2;
  }
  const warpwright::StopSignal stop;
  const auto progress = [](const warpwright::llm::Progress& now) {
    std::fprintf(stderr, "%lld tokens %s\n", static_cast<long long>(now.output_tokens),
                 now.note.c_str());
  };
  const Outcome outcome = (*model)->ask(
      {.id = argv[5], .messages = {{warpwright::llm::Role::user, *prompt}}}, progress, stop);
  print(outcome);
  std::fflush(stdout);
  ::_exit(outcome.kind == OutcomeKind::answered ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  // Without exit handlers: the leak check of a sanitizer build takes seconds per courier.
  if (verb == "courier") ::_exit(warpwright::llm::courier_main());
  if (verb == "ask" && argc == 6) return ask(argv, argv[0]);
  std::fprintf(stderr, "usage: ask_tool courier | ask_tool ask SPEC BASE_URL SPOOL ID\n");
  return 2;
}
