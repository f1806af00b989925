// SPDX-License-Identifier: Apache-2.0
#include "costs/caller.h"

#include <fmt/format.h>

#include "base/files.h"
#include "verify/generate.h"

namespace warpwright::costs {

namespace {

constexpr std::uint64_t kSeed = 20;

constexpr std::string_view kHead = R"(
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void* buffer(const char* folder, const char* name, const char* size) {
  const std::size_t bytes = std::strtoull(size, nullptr, 10);
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) std::exit(3);
  std::vector<char> values(bytes, 0);
  if (std::FILE* file = std::fopen((std::string(folder) + "/" + name).c_str(), "rb")) {
    if (std::fread(values.data(), 1, bytes, file) != bytes) std::exit(4);
    std::fclose(file);
  }
  cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice);
  return memory;
}

)";

std::string argument_text(const TaskArgument& argument, std::size_t place) {
  const std::string_view type = cuda_name(argument.type);
  if (is_buffer(argument))
    return fmt::format("({}*)buffer(argv[1], \"{}\", argv[{}])", type, argument.name, place);
  return fmt::format("({})std::strtod(argv[{}], nullptr)", type, place);
}

}  // namespace

std::string caller_text(const Task& task) {
  std::string text = "#include <cuda_runtime.h>\n";
  if (has_half_arguments(task)) text += "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  text += kHead;
  text += signature_of(task) + ";\n\nint main(int, char** argv) {\n  solve(";
  for (std::size_t i = 0; i < task.arguments.size(); ++i)
    text += (i == 0 ? "" : ",\n        ") + argument_text(task.arguments[i], i + 2);
  return text + ");\n  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 5;\n}\n";
}

Result<std::vector<std::string>> write_call(const Task& task, const TaskSize& size,
                                            const std::filesystem::path& folder) {
  WW_TRY(const auto instance, verify::make_instance(task, size, nullptr, kSeed));
  WW_TRY(const auto inputs, verify::generate_inputs(instance));
  std::vector<std::string> words = {folder.string()};
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (!is_buffer(argument)) {
      WW_TRY(const double value, scalar_value(argument, instance.values));
      words.push_back(fmt::format("{:.17g}", value));
      continue;
    }
    WW_TRY(const std::uint64_t count, element_count(argument, instance.values));
    words.push_back(std::to_string(count * bytes_of(argument.type)));
    if (inputs[i].empty()) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(inputs[i].data()), inputs[i].size());
    WW_CHECK(write_file(folder / argument.name, bytes));
    std::error_code ignored;
    std::filesystem::permissions(folder / argument.name, std::filesystem::perms(0644), ignored);
  }
  return words;
}

}  // namespace warpwright::costs
