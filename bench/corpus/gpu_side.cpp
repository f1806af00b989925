// SPDX-License-Identifier: Apache-2.0
#include "gpu_side.h"

namespace warpwright::corpus {
namespace {

/// The widest operand: eight doubles a thread.
constexpr std::size_t kMostBytesPerThread = 64;

}  // namespace

Result<std::unique_ptr<GpuSide>> GpuSide::open(std::uint32_t threads) {
  WW_TRY(const device::CudaDriver driver, device::CudaDriver::open());
  std::unique_ptr<GpuSide> side(new GpuSide(driver, threads));
  WW_CHECK(driver.check(driver.device_get(&side->device_, 0), "find the GPU"));
  char name[128] = {};
  driver.device_name(name, sizeof name, side->device_);
  int version = 0;
  driver.driver_version(&version);
  side->name_ = std::string(name) + ", driver API " + std::to_string(version / 1000) + "." +
                std::to_string(version % 1000 / 10);
  device::CuContext context = nullptr;
  WW_CHECK(driver.check(driver.context_retain(&context, side->device_), "open a context"));
  WW_CHECK(driver.check(driver.context_set_current(context), "use the context"));
  for (device::CuAddress* at :
       {&side->inputs_[0], &side->inputs_[1], &side->inputs_[2], &side->inputs_[3], &side->output_})
    WW_CHECK(driver.check(driver.memory_alloc(at, threads * kMostBytesPerThread), "allocate"));
  return side;
}

GpuSide::~GpuSide() { driver_.context_release(device_); }

Result<std::vector<std::byte>> GpuSide::launch(device::CuModule module, std::size_t number,
                                               const Case& c) {
  device::CuFunction function = nullptr;
  WW_CHECK(driver_.check(
      driver_.module_function(&function, module, ("k" + std::to_string(number)).c_str()),
      "find the kernel"));
  for (std::size_t j = 0; j < c.inputs.size(); ++j) {
    const std::vector<std::byte> bytes = input_bytes(c, j, threads_);
    WW_CHECK(driver_.check(driver_.copy_to_device(inputs_[j], bytes.data(), bytes.size()), "copy"));
  }
  void* arguments[] = {&inputs_[0], &inputs_[1], &inputs_[2], &inputs_[3], &output_};
  device::CuLaunchConfig config{threads_ / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr, nullptr, 0};
  WW_CHECK(driver_.check(driver_.launch(&config, function, arguments, nullptr), "launch"));
  std::vector<std::byte> out(std::size_t{threads_} * c.output.count * bytes_of(c.output.kind));
  WW_CHECK(driver_.check(driver_.copy_to_host(out.data(), output_, out.size()), "run"));
  return out;
}

std::vector<Result<std::vector<std::byte>>> GpuSide::run(const std::vector<const Case*>& cases) {
  std::string log(4096, '\0');
  int options[] = {device::kCuJitErrorLog, device::kCuJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  device::CuModule module = nullptr;
  const std::string text = ptx_of(cases);
  const device::CuResult loaded = driver_.module_load(&module, text.c_str(), 2, options, values);
  std::vector<Result<std::vector<std::byte>>> results;
  if (loaded != 0 && cases.size() == 1) {
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    results.emplace_back(Error{"refused by the driver: " + driver_.describe(loaded) + " " + log});
  } else if (loaded != 0) {
    const auto middle = cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 2);
    results = run({cases.begin(), middle});
    for (auto& r : run({middle, cases.end()})) results.push_back(std::move(r));
  } else {
    for (std::size_t k = 0; k < cases.size(); ++k) results.push_back(launch(module, k, *cases[k]));
    driver_.module_unload(module);
  }
  return results;
}

}  // namespace warpwright::corpus
