// SPDX-License-Identifier: Apache-2.0
// The PTX loader must survive any text: refuse it or load it, never crash or run away. What it has
// loaded the machine must survive as well, whatever the kernel does.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "simt/machine.h"

namespace {

using namespace warpwright::simt;

constexpr std::size_t kMostKernels = 4;
constexpr std::uint64_t kMostBytes = 1 << 20;  ///< of variables, or of a block's local memory

std::uint64_t variable_bytes(const Module& module) {
  std::uint64_t bytes = 0;
  for (const VariableFacts& v : module.variables()) {
    if (v.size_bytes > kMostBytes) return v.size_bytes;
    bytes += v.size_bytes;
  }
  return bytes;
}

/// Two blocks of a warp and a half, with a buffer for every pointer and 3 for every number.
void run(Machine& machine, const Module& module, const KernelFacts& kernel, Address buffer) {
  constexpr std::uint32_t kThreads = 48;
  if (std::uint64_t{kernel.local_bytes} * kThreads > kMostBytes) return;
  std::vector<std::byte> params(kernel.param_bytes);
  for (const ParamFacts& p : kernel.params) {
    const std::uint64_t value = p.size_bytes == 8 ? buffer : 3;
    std::memcpy(params.data() + p.offset, &value,
                std::min<std::size_t>(sizeof value, p.size_bytes));
  }
  LaunchOptions options;
  options.engine = Engine::interpreted;
  options.max_warp_instructions = 2000;
  options.heap_bytes = 1 << 16;
  (void)machine.launch(module, {kernel.name, {2}, {kThreads}, 64, params, options});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = load(text);
  if (!module.ok()) return 0;
  const std::vector<KernelFacts> kernels = module->kernels();
  if (variable_bytes(*module) > kMostBytes) return 0;
  Machine machine;
  const auto buffer = machine.memory().allocate(4096, "buffer");
  if (!buffer.ok()) return 0;
  for (std::size_t k = 0; k < kernels.size() && k < kMostKernels; ++k)
    run(machine, *module, kernels[k], *buffer);
  return 0;
}
