// SPDX-License-Identifier: Apache-2.0
#include "mcp/prompts.h"

#include <array>

#include "suite/load.h"

namespace warpwright::mcp {

namespace {

constexpr std::size_t kMaxArgumentBytes = std::size_t{1} << 20;

struct Argument {
  std::string_view name;
  std::string_view description;
  bool required = false;
};

/// A text with {{name}} for each argument.
struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::array<Argument, 2> arguments;
  std::string_view text;
};

constexpr auto kPrompts = std::to_array<Prompt>({
    {"optimise_kernel",
     "Optimise this kernel",
     "From a first version, or from nothing, to a proven fast kernel for a task.",
     {{{"task", "a built-in task's name or a task folder", true},
       {"source", "the kernel to begin with; the task's baseline unless given", false}}},
     R"(Write the fastest CUDA kernel you can for the Warpwright task "{{task}}".

1. Call show_task with complete true: what is computed, the function to write, the rules, the baseline and the least time that the hardware allows.
2. Judge the first version with judge_kernel. Fix what it names until the verdict is ok: no other verdict counts.
3. Call explain_kernel to see which lines waste bytes, conflict in shared memory or diverge. Change one thing at a time.
4. After each change judge_kernel; where times are close, compare_kernels decides. Keep the best valid version.
5. Stop at the least possible time or when three changes in a row bring nothing. Report the verdict, the times per size, the speed-up over the baseline and the final source.

Never weaken what is computed: every result is checked against a reference on inputs that you do not see.

The first version:

{{source}}
)"},
    {"port_module",
     "Port this module",
     "A computation that exists as code elsewhere becomes a task and a proven kernel.",
     {{{"source", "the module: PyTorch, NumPy, C++ or other code", true},
       {"name", "name of the new task: letters, digits and underscores", true}}},
     R"(Port this module to a proven CUDA kernel with Warpwright.

1. Read the resource warpwright://docs/tasks. Work out inputs, outputs, scalars, sizes and the least traffic and arithmetic of the computation below.
2. Call make_task with the name "{{name}}", a task.toml that describes it, and a baseline.cu that is simple and right for every size. Errors name the line to mend.
3. Judge the baseline with judge_kernel: it must be ok. Check a few values by hand against the module: the task is the contract.
4. Then go on as in the prompt optimise_kernel.

The module:

{{source}}
)"},
});

Json prompt_json(const Prompt& prompt) {
  Json arguments = Json::array();
  for (const Argument& argument : prompt.arguments) {
    arguments.push_back({{"name", argument.name},
                         {"description", argument.description},
                         {"required", argument.required}});
  }
  return {{"name", prompt.name},
          {"title", prompt.title},
          {"description", prompt.description},
          {"arguments", arguments}};
}

void put_in(std::string& text, std::string_view name, const std::string& value) {
  const std::string mark = "{{" + std::string(name) + "}}";
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + value.size())) {
    text.replace(at, mark.size(), value);
  }
}

Result<std::string> filled(ToolBox& box, const Prompt& prompt, const Json& arguments) {
  std::string text(prompt.text);
  for (const Argument& argument : prompt.arguments) {
    const auto found = arguments.find(argument.name);
    const bool given = found != arguments.end() && found->is_string();
    if (!given && argument.required) {
      return Error{"the prompt needs the argument '" + std::string(argument.name) + "'"};
    }
    std::string value;
    if (given) value = found->get<std::string>();
    if (value.size() > kMaxArgumentBytes) return Error{"an argument is too long"};
    if (!given) {
      WW_TRY(const Task task, task_of(box, arguments));
      value = task.baseline_source;
    }
    put_in(text, argument.name, value);
  }
  return text;
}

}  // namespace

Json prompt_list() {
  Json list = Json::array();
  for (const Prompt& prompt : kPrompts) list.push_back(prompt_json(prompt));
  return list;
}

Result<Json> get_prompt(ToolBox& box, const std::string& name, const Json& arguments) {
  if (!arguments.is_object()) return Error{"arguments is an object"};
  for (const Prompt& prompt : kPrompts) {
    if (prompt.name != name) continue;
    WW_TRY(const std::string text, filled(box, prompt, arguments));
    return Json{
        {"description", prompt.description},
        {"messages",
         Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}})}};
  }
  return Error{"there is no prompt '" + name.substr(0, 80) + "'; prompts/list names them"};
}

}  // namespace warpwright::mcp
