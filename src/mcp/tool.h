// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mcp/folders.h"
#include "mcp/jobs.h"
#include "mcp/rpc.h"
#include "mcp/workshop.h"

namespace warpwright::mcp {

/// What tools work with; all outlive a call.
struct ToolBox {
  Workshop& workshop;
  const Folders& folders;
  JobTable& jobs;
};

/// One call: how it is cancelled and how it reports.
struct CallScope {
  const StopSignal& stop;
  /// How far, of how much (0: not known), in words. May be empty: nobody listens.
  std::function<void(double done, double total, const std::string& words)> progress;
  std::string client;  ///< who calls, as it says itself
};

using ToolHandler = ToolAnswer (*)(ToolBox& box, const Json& arguments, const CallScope& scope);

/// What a tool does to the world, for clients that ask their user before they call.
enum class Effect {
  reads,   ///< changes nothing that stays
  adds,    ///< makes something new, overwrites nothing
  spends,  ///< may ask a model for money
  ends,    ///< ends something that is under way
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  Json (*input)();   ///< JSON Schema of the arguments
  Json (*output)();  ///< JSON Schema of ToolAnswer::data, where it is no failure
  ToolHandler handle;
  Effect effect = Effect::reads;
  bool slow = false;  ///< may wait for something: not for the thread that reads
};

std::span<const Tool> tools();
/// Null: there is none of that name.
const Tool* find_tool(std::string_view name);

/// Checks the arguments against the schema and calls the handler.
ToolAnswer call_tool(const Tool& tool, ToolBox& box, const Json& arguments, const CallScope& scope);

/// The tool as `tools/list` shows it.
Json tool_json(const Tool& tool);

// What handlers share.

/// A built-in task by its name, or a folder that the client may touch.
Result<Task> task_of(const ToolBox& box, const Json& arguments);
/// The source in `text_key`, or in the file that `file_key` names; one of them must be there.
Result<std::string> source_of(const ToolBox& box, const Json& arguments, const char* text_key,
                              const char* file_key);
/// Starts the work as a job and waits as long as the client wants to: the job's answer, or that it
/// goes on under its name. A cancelled call cancels its job.
ToolAnswer as_job(ToolBox& box, const Json& arguments, const CallScope& scope,
                  const std::string& what, Job::Work work);

ToolAnswer list_tasks(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer show_task(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer make_task(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer list_devices(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer show_device(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer judge_kernel(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer explain_kernel(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer compare_kernels(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer tune_kernel(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer wait_for_job(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer cancel_job(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer list_runs(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer show_run(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer fetch_kernel(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer export_kernel(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer start_search(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer follow_search(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer stop_search(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer read_question(ToolBox& box, const Json& arguments, const CallScope& scope);
ToolAnswer answer_question(ToolBox& box, const Json& arguments, const CallScope& scope);

}  // namespace warpwright::mcp
