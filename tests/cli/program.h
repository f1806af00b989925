// SPDX-License-Identifier: Apache-2.0
// Runs the real program as a user would, in a folder of its own.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "core/json_reader.h"
#include "store/archive.h"
#include "support/places.h"

namespace warpwright::cli {

class Program {
 public:
  Program() : home_(std::move(TemporaryDirectory::create("ww-cli-")).value()) {}

  [[nodiscard]] const std::filesystem::path& folder() const { return home_.path(); }
  [[nodiscard]] std::filesystem::path archive() const {
    return folder() / ".warpwright" / "archive.db";
  }

  ProcessExit run(std::vector<std::string> arguments, const std::string& input = "") {
    Command command = this->command(std::move(arguments));
    command.stdin_text = input;
    auto exit = run_process(command);
    EXPECT_TRUE(exit.ok());
    return exit.ok() ? *exit : ProcessExit{};
  }

  Command command(std::vector<std::string> arguments) {
    Command command;
    command.argv = {program_path()};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.env = minimal_environment();
    command.env.push_back("HOME=" + folder().string());
    // The leak check at exit takes seconds per process; the unit tests look for leaks.
    command.env.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    command.env.insert(command.env.end(), environment.begin(), environment.end());
    command.cwd = folder();
    command.limits.wall = std::chrono::seconds(120);
    return command;
  }

  void write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(make_directories((folder() / name).parent_path()).ok());
    EXPECT_TRUE(write_file(folder() / name, text).ok());
  }

  std::vector<std::string> environment;

 private:
  TemporaryDirectory home_;
};

/// What two equal runs must agree on: everything but times.
inline std::string story(const std::filesystem::path& path, const std::string& run_name) {
  const SystemClock clock;
  auto archive = std::move(store::Archive::open(path, clock)).value();
  const auto run = archive->find_run(run_name);
  if (!run.ok()) return run.error().message;
  std::string text = run->id + " " + std::string(name_of(run->status)) + " " + run->ending +
                     " best " + run->best_trial + "\n";
  for (const auto& trial : archive->trials(run->id).value()) {
    text += trial.prompt.trial + " " + trial.prompt.kind + " <" + trial.prompt.parent + ">";
    for (const auto& message : archive->messages(run->id, trial.prompt.trial).value()) {
      text += " |" + std::to_string(message.role) + " " + message.text;
    }
    for (const auto& failure : trial.failures) text += " !" + failure.error;
    if (trial.reply) {
      text += "\n  -> " + trial.reply->text + " " + std::to_string(trial.reply->output) + " tokens";
    }
    if (trial.candidate) text += "\n  code " + trial.source_sha256 + " " + trial.candidate->reason;
    if (trial.evaluation) {
      Evaluation evaluation = *trial.evaluation;
      text += "\n  = " + std::string(name_of(evaluation.verdict)) + " " + evaluation.reason;
      for (const auto& m : evaluation.measurements) {
        text +=
            " " + m.size + " " + std::to_string(m.median_us) + "/" + std::to_string(m.baseline_us);
      }
    }
    text += "\n";
  }
  return text;
}

/// An answer whose code is unlike any other's.
inline std::string answer(const std::string& salt) {
  return "Here is the kernel.\n\n```cuda\n#include <cuda_runtime.h>\n// " + salt +
         "\n__global__ void kernel(const float* in, float* out) { out[threadIdx.x] = "
         "in[threadIdx.x]; }\n"
         "extern \"C\" void solve(const float* input, float* output, int rows, int cols) {\n"
         "  kernel<<<1, 32>>>(input, output);\n}\n```\n";
}

}  // namespace warpwright::cli
