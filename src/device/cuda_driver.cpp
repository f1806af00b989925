// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_driver.h"

#include <dlfcn.h>

namespace warpwright::device {

Result<CudaDriver> CudaDriver::open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{
        "no NVIDIA driver: libcuda.so.1 could not be opened; install the driver, or use "
        "the device \"simt\""};
  }
  CudaDriver driver;
  const char* missing = nullptr;
  const auto find = [&](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, name));
    if (member == nullptr && missing == nullptr) missing = name;
  };
#define WW_CUDA_FIND(member, name, parameters) find(driver.member, name);
  WW_CUDA_FUNCTIONS(WW_CUDA_FIND)
#undef WW_CUDA_FIND
  if (missing != nullptr) {
    return Error{std::string("the NVIDIA driver is too old: libcuda.so.1 lacks ") + missing};
  }
  driver.tensor_map_encode = reinterpret_cast<decltype(driver.tensor_map_encode)>(
      dlsym(library, "cuTensorMapEncodeTiled"));
  WW_CHECK(driver.check(driver.init(0), "initialise the NVIDIA driver"));
  int count = 0;
  WW_CHECK(driver.check(driver.device_count(&count), "count the GPUs"));
  if (count == 0) return Error{"the NVIDIA driver sees no GPU"};
  return driver;
}

std::string CudaDriver::describe(CuResult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(result, &name);
  error_text(result, &text);
  return std::string(text != nullptr ? text : "an unknown error") + " (" +
         (name != nullptr ? name : std::to_string(result).c_str()) + ")";
}

Status CudaDriver::check(CuResult result, std::string_view what) const {
  if (result == 0) return {};
  return Error{"could not " + std::string(what) + ": " + describe(result)};
}

}  // namespace warpwright::device
