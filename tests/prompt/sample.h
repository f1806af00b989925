// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/device_facts.h"
#include "core/evaluation.h"
#include "core/task.h"

namespace warpwright::prompt {

/// A task with things in it that no prompt may show.
inline Task sample_task() {
  Task task;
  task.name = "transpose";
  task.title = "Matrix transpose";
  task.description =
      "Write the transpose of a matrix of 32-bit floats: output[j][i] = input[i][j] for every row "
      "i "
      "and column j. `input` has rows x cols elements, `output` has cols x rows.\n";
  task.arguments = {
      {"input", ElementType::f32, ArgumentRole::input, "rows * cols", "hidden-distribution"},
      {"output", ElementType::f32, ArgumentRole::output, "rows * cols", ""},
      {"rows", ElementType::i32, ArgumentRole::scalar, "rows", ""},
      {"cols", ElementType::i32, ArgumentRole::scalar, "cols", ""}};
  task.sizes = {{"1024^2", {{"rows", 1024}, {"cols", 1024}}},
                {"4096^2", {{"rows", 4096}, {"cols", 4096}}}};
  task.edge_sizes = {{"hidden-31x33", {{"rows", 31}, {"cols", 33}}}};
  task.variants.emplace_back().name = "hidden-variant";
  task.check.rule = "hidden-rule";
  task.bytes_expression = "hidden-bytes";
  task.baseline_source = "// hidden-baseline";
  task.reference_source = "// hidden-reference";
  return task;
}

inline const DeviceFacts& sample_device() { return known_devices().front(); }

inline std::string sample_source() {
  return "#include <cuda_runtime.h>\n"
         "\n"
         "__global__ void transpose(const float* in, float* out, int rows, int cols) {\n"
         "  const int x = blockIdx.x * 32 + threadIdx.x;\n"
         "  const int y = blockIdx.y * 32 + threadIdx.y;\n"
         "  out[x * rows + y] = in[y * cols + x];\n"
         "}\n"
         "\n"
         "extern \"C\" void solve(const float* input, float* output, int rows, int cols) {\n"
         "  transpose<<<dim3(cols / 32, rows / 32), dim3(32, 32)>>>(input, output, rows, cols);\n"
         "}\n";
}

inline Evaluation sample_winner() {
  Evaluation winner;
  winner.verdict = Verdict::ok;
  winner.stage = Stage::measure;
  winner.reason = "hidden-reason in /hidden/path";
  winner.resources = {{"transpose", 32, 0, 0, 0, 4224, 0.75}};
  winner.measurements = {{"1024^2", TimeSource::measured, 4.521, 4.48, 4.61, 200, 1.748, 12.25},
                         {"4096^2", TimeSource::measured, 61.37, 61.1, 61.9, 200, 27.96, 184.3}};
  winner.findings = {{"uncoalesced", 6, "32 sectors per store request where 4 suffice"},
                     {"bank_conflict", 0, "up to 32 ways in /hidden/job/candidate.cu"}};
  winner.device = "hidden-device-string";
  winner.seed = "hidden-seed-8731";
  return winner;
}

inline Evaluation sample_failure(Verdict verdict, Stage stage) {
  Evaluation failed;
  failed.verdict = verdict;
  failed.stage = stage;
  failed.reason = "hidden-reason in /hidden/path";
  failed.seed = "hidden-seed-8731";
  failed.device = "hidden-device-string";
  return failed;
}

inline Evaluation sample_mismatch() {
  auto failed = sample_failure(Verdict::mismatch, Stage::validate);
  failed.feedback =
      "rows = 31, cols = 33: 93 of 1023 elements are wrong\n"
      "  output[992]: expected 0.731, got -1.25\n"
      "  output[993]: expected -0.118, got 3.5\n"
      "sizes that fail: 31x33, 1023x1025; sizes that pass: 1024^2\n";
  return failed;
}

inline Evaluation sample_compile_error() {
  auto failed = sample_failure(Verdict::compile_error, Stage::build);
  failed.diagnostics = {
      {"warning", 4, 3, "variable \"z\" was declared but never referenced"},
      {"error", 6, 7, "identifier \"outt\" is undefined"},
      {"note", 0, 0, "1 error detected in the compilation of \"/hidden/job/candidate.cu\""}};
  failed.feedback =
      "/hidden/job/candidate.cu(6): error: identifier \"outt\" is undefined\n"
      "1 error detected\n";
  return failed;
}

}  // namespace warpwright::prompt
