// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "flops/program.h"
#include "flops/service.h"

namespace warpwright::flop {

struct RunRequest {
  std::vector<std::string> arguments;  ///< the program's
  std::filesystem::path cwd;           ///< readable to it
  bool may_write = false;              ///< into that folder
  DeviceFacts target;
  RunLimits limits;
  std::chrono::seconds time{120};  ///< of a processor, for the host part
};

/// How a program's run ended, and what was counted until then.
struct ProgramRun {
  std::vector<LaunchCount> launches;
  std::vector<std::string> missing, faults;
  std::uint64_t left_out = 0;
  ProcessExit exit;
};

/// What a program talks to.
struct Conversation {
  std::function<ServiceAnswer(std::uint32_t kind, std::string_view question)> answer;
  std::function<bool()> over;  ///< nothing more is wanted: the program is stopped
};
/// Makes it over the memory that the program shares; it lives until the program has ended.
using MakeConversation = std::function<Conversation(SharedArena& arena)>;

/// Runs the program in the sandbox and answers its questions in this process. The error is the
/// world's.
Result<ProcessExit> converse(const sandbox::Sandbox& sandbox, const BuiltProgram& program,
                             const RunRequest& request, const MakeConversation& make,
                             const StopSignal* stop = nullptr);

/// Runs the program in the sandbox; its kernels run on a SIMT machine in this process. The error
/// is the world's.
Result<ProgramRun> run_program(const sandbox::Sandbox& sandbox, const BuiltProgram& program,
                               const RunRequest& request, const StopSignal* stop = nullptr);

}  // namespace warpwright::flop
