// SPDX-License-Identifier: Apache-2.0
#include "llm/exec.h"

#include <algorithm>

#include "base/process.h"
#include "base/text.h"
#include "llm/answer.h"
#include "llm/courier.h"
#include "llm/provider.h"
#include "llm/service.h"

namespace warpwright::llm {

namespace {

bool looks_secret(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  const std::string_view text = upper;
  for (const std::string_view word : {"SECRET", "PASSWORD", "API_KEY", "APIKEY", "CREDENTIAL"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return text.ends_with("_TOKEN") || text == "TOKEN" || text.ends_with("_KEY");
}

bool named_by_a_service(std::string_view name) {
  const auto rows = services();
  return std::any_of(rows.begin(), rows.end(), [&](const Service& row) {
    return !row.key_env.empty() && row.key_env == name;
  });
}

std::string_view role_title(Role role) {
  switch (role) {
    case Role::system:
      return "### system\n";
    case Role::user:
      return "### user\n";
    case Role::assistant:
      return "### assistant\n";
  }
  return "";
}

}  // namespace

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  while (!(command = trimmed(command)).empty()) {
    const auto end = command.find_first_of(" \t\n");
    words.emplace_back(command.substr(0, end));
    if (end == std::string_view::npos) break;
    command.remove_prefix(end);
  }
  return words;
}

std::string prompt_text(const std::vector<Message>& messages) {
  if (messages.size() == 1) return messages[0].text;
  std::string text;
  for (const Message& message : messages) {
    if (!text.empty()) text += "\n\n";
    text += role_title(message.role);
    text += message.text;
  }
  return text;
}

std::vector<std::string> environment_without_keys(const std::vector<std::string>& variables,
                                                  std::string_view key_env,
                                                  const std::vector<std::string>& pass) {
  std::vector<std::string> kept;
  for (const std::string& variable : variables) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
    const bool passed = std::find(pass.begin(), pass.end(), name) != pass.end();
    const bool secret =
        looks_secret(name) || named_by_a_service(name) || (!key_env.empty() && name == key_env);
    if (passed || !secret) kept.push_back(variable);
  }
  return kept;
}

Performed perform_exec(const Job& job, Reporter& reporter) {
  Command command{.argv = job.argv,
                  .env = job.env,
                  .cwd = {},
                  .stdin_text = job.body,
                  .limits = {},
                  .on_stdout = {}};
  command.limits.wall = job.timeouts.total;
  command.limits.output_bytes = kMaxTextBytes;
  std::size_t seen = 0;
  command.on_stdout = [&](std::string_view piece) {
    seen += piece.size();
    reporter.tokens(estimated_tokens(seen));
  };
  const auto exit = run_process(command);
  if (!exit.ok()) return free_failure(job.name + ": " + exit.error().message, false);
  PartialAnswer answer;
  answer.text = exit->out;
  const auto prompt_bytes = static_cast<std::size_t>(job.prompt_bytes);
  if (!exit->succeeded()) {
    const std::string tail =
        exit->err.size() > 1000 ? exit->err.substr(exit->err.size() - 1000) : exit->err;
    const std::string error = job.name + ": the program ended with " + exit->describe() +
                              (tail.empty() ? "" : ": " + clean_utf8(trimmed(tail)));
    // Whether it paid somebody we cannot know; what it wrote was work.
    if (answer.text.empty()) return free_failure(error, true);
    return paid_failure(error, estimated_usage(prompt_bytes, answer));
  }
  answer.finish_reason = exit->output_truncated ? "length" : "stop";
  tidy_answer(answer);
  if (trimmed(answer.text).empty()) {
    return paid_failure(job.name + ": the program wrote no answer",
                        estimated_usage(prompt_bytes, answer));
  }
  Performed performed;
  performed.keep = true;
  performed.spooled.outcome.kind = OutcomeKind::answered;
  performed.spooled.outcome.reply = Reply{.text = answer.text,
                                          .reasoning = answer.reasoning,
                                          .model = job.name,
                                          .finish_reason = answer.finish_reason,
                                          .usage = estimated_usage(prompt_bytes, answer)};
  return performed;
}

Result<std::unique_ptr<Model>> make_exec(const ProviderInput& input) {
  WW_TRY(CourierModel::Setup setup, courier_setup(input));
  Job job = job_template(setup, input.options);
  job.wire = "exec";
  job.argv = split_command(input.rest);
  if (job.argv.empty()) return Error{"'exec:' names no program: write exec:PROGRAM ARG..."};
  job.env = environment_without_keys(input.environment.variables, input.options.key_env,
                                     input.options.exec_pass);
  setup.make_job = [job, limit = setup.max_output_tokens](const Request& request) -> Result<Job> {
    Job whole = job;
    whole.id = request.id;
    whole.body = prompt_text(request.messages);
    whole.prompt_bytes = static_cast<std::int64_t>(whole.body.size());
    const std::int64_t tokens = request.max_output_tokens > 0 ? request.max_output_tokens : limit;
    whole.env.push_back("WARPWRIGHT_REQUEST_ID=" + request.id);
    whole.env.push_back("WARPWRIGHT_MAX_OUTPUT_TOKENS=" + std::to_string(tokens));
    return whole;
  };
  return std::unique_ptr<Model>(std::make_unique<CourierModel>(std::move(setup)));
}

}  // namespace warpwright::llm
