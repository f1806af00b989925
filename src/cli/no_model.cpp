// SPDX-License-Identifier: Apache-2.0
#include "cli/no_model.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"

namespace warpwright::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConversation = "conversation.jsonl";

/// The program as one would type it: its name alone where the shell finds it.
std::string typed(const fs::path& program) {
  std::error_code different;
  const auto found = find_program("warpwright");
  const bool on_path = found.ok() && fs::equivalent(*found, program, different);
  return on_path ? "warpwright" : program.string();
}

bool is_recording(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kConversation, ignored);
}

std::vector<std::string> recorded_tasks(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) {
    std::error_code ignored;
    fs::directory_iterator entry(folder, ignored);
    for (; !ignored && entry != fs::directory_iterator(); entry.increment(ignored)) {
      if (is_recording(entry->path())) names.push_back(entry->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string recording_offer(const std::string& run, const std::string& task,
                            const std::vector<fs::path>& folders) {
  for (const auto& folder : folders) {
    if (!is_recording(folder / task)) continue;
    const auto file = read_file(folder / task / "flags");
    const std::string flags = file.ok() ? " " + std::string(trimmed(*file)) : "";
    return fmt::format(
        "A recorded conversation; each kernel in it is judged here and now, and nothing is paid:\n"
        "  {} --model replay:{}{}\n\n",
        run, (folder / task).string(), flags);
  }
  std::string others;
  for (const auto& name : recorded_tasks(folders)) others += (others.empty() ? "" : ", ") + name;
  if (others.empty()) return "";
  return fmt::format("There is no recording of this task; there are some of: {}\n\n", others);
}

}  // namespace

std::vector<fs::path> recording_folders(const fs::path& program) {
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) folders.push_back(folder);
  };
  add("recordings");
  constexpr int kLevels = 3;  // SOURCE/build/release/warpwright
  fs::path above = program.parent_path();
  for (int i = 0; i < kLevels && above.has_relative_path(); ++i, above = above.parent_path()) {
    add(above / "recordings");
    add(above / "share" / "warpwright" / "recordings");
  }
  return folders;
}

std::string no_model_text(const std::string& task, const fs::path& program) {
  const std::string name = typed(program);
  const std::string run = name + " run " + task;
  // A task folder's recording has the folder's name.
  const std::string short_name = fs::path(task).filename().string();
  std::string text = "no model is configured. Paste one of these:\n\n";
  text += recording_offer(run, short_name, recording_folders(program));
  text += fmt::format(
      "You answer, or any other program does (docs/models.md):\n"
      "  {0} --model inbox\n"
      "  {1} ask last\n"
      "  {1} tell last r1.c1 answer.md\n"
      "  {1} resume last\n\n",
      run, name);
  text += fmt::format(
      "A provider, with its key in the environment ('{0} models' lists them, docs/models.md says "
      "more):\n"
      "  ANTHROPIC_API_KEY=... {1} --model anthropic:claude-opus-5 --budget-usd 2\n"
      "  {1} --model ollama:qwen3-coder:30b\n\n"
      "A program of yours: prompt on standard input, answer on standard output:\n"
      "  {1} --model exec:./my_model\n\n"
      "To keep a choice, write it to warpwright.toml:\n"
      "  printf '[model]\\nspec = \"ollama:qwen3-coder:30b\"\\n' >> warpwright.toml",
      name, run);
  return text;
}

}  // namespace warpwright::cli
