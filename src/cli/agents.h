// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/workshop.h"
#include "mcp/http.h"

namespace warpwright::cli {

/// What a user says of a server for agents, whatever its transport.
struct AgentFlags {
  std::vector<std::string> allowed;
  std::shared_ptr<SettingFlags> settings;
};
void add_agent_flags(CLI::App& verb, AgentFlags& flags);

/// The tools of this program behind the Model Context Protocol.
class AgentService {
 public:
  static Result<std::unique_ptr<AgentService>> open(const AgentFlags& flags,
                                                    const std::filesystem::path& archive);

  mcp::Server& server() { return server_; }
  ServerWorkshop& workshop() { return *workshop_; }
  report::Endpoint endpoint() { return http_.endpoint("/mcp"); }
  /// Cancels everything that is under way.
  void cancel_all();

 private:
  AgentService(std::unique_ptr<ServerWorkshop> workshop, mcp::Folders folders);

  std::unique_ptr<ServerWorkshop> workshop_;
  mcp::Folders folders_;
  mcp::JobTable jobs_;
  mcp::Server server_;
  mcp::HttpTransport http_;
};

/// The token of a server: the first line of the file, else WARPWRIGHT_TOKEN, else a new one.
struct Token {
  std::string text;
  bool is_new = false;
};
Result<Token> server_token(const std::string& file);

}  // namespace warpwright::cli
