// SPDX-License-Identifier: Apache-2.0
#include "cli/agents.h"

#include <cstdlib>

#include "base/text.h"
#include "cli/session.h"

namespace warpwright::cli {

namespace {

constexpr std::size_t kJobsAtOnce = 8;
constexpr std::size_t kKeptJobs = 64;
constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestToken = 4096;

mcp::ServerOptions server_options(const mcp::Folders& folders) {
  mcp::ServerOptions options;
  options.version = WARPWRIGHT_VERSION;
  if (folders.empty()) {
    options.settings.emplace_back("This server touches no files: send sources as texts.");
    return options;
  }
  std::string list;
  for (const auto& name : folders.names()) list += (list.empty() ? "" : ", ") + name;
  options.settings.push_back("Files may be named below: " + list + ".");
  return options;
}

}  // namespace

void add_agent_flags(CLI::App& verb, AgentFlags& flags) {
  verb.add_option("--allow", flags.allowed,
                  "folder whose files clients may read and add to; may be repeated [none]");
  flags.settings = add_setting_flags(verb, {"search.", "limits.", "model.", "judge."});
}

AgentService::AgentService(std::unique_ptr<ServerWorkshop> workshop, mcp::Folders folders)
    : workshop_(std::move(workshop)),
      folders_(std::move(folders)),
      jobs_(kJobsAtOnce, kKeptJobs),
      server_({*workshop_, folders_, jobs_}, server_options(folders_)),
      http_(server_) {}

Result<std::unique_ptr<AgentService>> AgentService::open(const AgentFlags& flags,
                                                         const std::filesystem::path& archive) {
  WW_TRY(Settings settings, settings_from(*flags.settings));
  WW_TRY(auto folders, mcp::Folders::open(flags.allowed));
  WW_TRY(auto workshop, ServerWorkshop::open(std::move(settings), archive));
  return std::unique_ptr<AgentService>(new AgentService(std::move(workshop), std::move(folders)));
}

void AgentService::cancel_all() {
  http_.cancel_all();
  jobs_.cancel_all();
  workshop_->end_searches();
}

Result<Token> server_token(const std::string& file) {
  Token token;
  if (!file.empty()) {
    WW_TRY(const std::string text, read_file(file, kLongestToken));
    token.text = trimmed(text.substr(0, text.find('\n')));
  } else if (const char* given = std::getenv("WARPWRIGHT_TOKEN"); given != nullptr) {
    token.text = trimmed(given);
  } else {
    return Token{mcp::random_name(), true};
  }
  if (token.text.size() < kShortestToken) {
    return Error{"the token is shorter than " + std::to_string(kShortestToken) +
                 " characters; make one with: openssl rand -hex 16"};
  }
  return token;
}

}  // namespace warpwright::cli
