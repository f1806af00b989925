// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "device/cuda_device.h"

namespace warpwright::device {

namespace {

/// Fused multiply-adds per clock and SM, times two.
int fp32_flops_per_clock(int major, int minor) {
  if (major >= 9) return 256;
  if (major == 8) return minor == 0 ? 128 : 256;
  return 128;
}

struct FaultRow {
  CuResult result;
  Verdict verdict;
  FindingKind kind;
  std::string_view message;
};

constexpr std::array<FaultRow, 15> kFaultRows = {{
    {1, Verdict::launch_error, "invalid_launch", "the launch has an invalid configuration"},
    {2, Verdict::launch_error, "out_of_memory", "the device has not enough memory for the launch"},
    {700, Verdict::memory_fault, "illegal_address",
     "a thread accessed memory that does not belong to any buffer"},
    {701, Verdict::launch_error, "out_of_resources",
     "the launch needs more registers or shared memory than the device has"},
    {702, Verdict::timeout, "timeout", "the kernel did not end in time"},
    {710, Verdict::launch_error, "assertion", "a device-side assertion failed"},
    {714, Verdict::memory_fault, "stack_error", "a thread overran its stack"},
    {715, Verdict::launch_error, "illegal_instruction",
     "a thread executed an illegal instruction or a trap"},
    {716, Verdict::memory_fault, "misaligned",
     "a thread accessed an address that is not a multiple of the access's size"},
    {717, Verdict::memory_fault, "invalid_address_space",
     "a thread accessed memory through a pointer of the wrong address space"},
    {718, Verdict::memory_fault, "invalid_pc", "a thread jumped to an invalid address"},
    {719, Verdict::launch_error, "launch_failed",
     "the kernel was aborted by the device (a trap, or an access out of shared or local memory)"},
    {720, Verdict::launch_error, "cooperative_too_large",
     "the cooperative launch has more blocks than fit on the device at once"},
    {801, Verdict::launch_error, "not_supported", "the launch is not supported by this device"},
    {912, Verdict::launch_error, "cluster_too_large", "the cluster does not fit on the device"},
}};

}  // namespace

std::optional<Fault> fault_of(CuResult result, const CudaDriver& driver) {
  for (const FaultRow& row : kFaultRows) {
    if (row.result != result) continue;
    return Fault{.verdict = row.verdict,
                 .kind = row.kind,
                 .message = std::string(row.message) + ": " + driver.describe(result)};
  }
  return std::nullopt;
}

DeviceFacts facts_of(const CudaDriver& driver, CuDevice device, int ordinal) {
  const auto attribute = [&](CuAttribute which) {
    int value = 0;
    return driver.device_attribute(&value, static_cast<int>(which), device) == 0 ? value : 0;
  };
  std::array<char, 256> name{};
  driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
  DeviceFacts facts;
  for (const DeviceFacts& known : known_devices()) {
    if (known.name == name.data()) facts = known;
  }
  const bool known = !facts.key.empty();
  if (!known) facts.key = "cuda:" + std::to_string(ordinal);
  facts.name = clean_utf8(name.data());
  facts.compute_major = attribute(CuAttribute::compute_major);
  facts.compute_minor = attribute(CuAttribute::compute_minor);
  facts.sm_count = attribute(CuAttribute::sm_count);
  facts.max_threads_per_block = attribute(CuAttribute::max_threads_per_block);
  facts.max_threads_per_sm = attribute(CuAttribute::max_threads_per_sm);
  facts.max_blocks_per_sm = attribute(CuAttribute::max_blocks_per_sm);
  facts.registers_per_sm = attribute(CuAttribute::registers_per_sm);
  facts.shared_per_block_bytes = attribute(CuAttribute::shared_per_block);
  facts.shared_per_block_optin_bytes = attribute(CuAttribute::shared_per_block_optin);
  facts.shared_per_sm_bytes = attribute(CuAttribute::shared_per_sm);
  facts.l2_bytes = attribute(CuAttribute::l2_bytes);
  std::size_t total = 0;
  if (driver.device_total_mem(&total, device) == 0) {
    facts.memory_bytes = static_cast<long long>(total);
  }
  const double clock_ghz = attribute(CuAttribute::clock_khz) * 1e-6;
  if (clock_ghz > 0) facts.boost_clock_ghz = clock_ghz;
  if (!known) {
    facts.memory_gb_per_s = 2e-6 * attribute(CuAttribute::memory_clock_khz) *
                            attribute(CuAttribute::bus_width_bits) / 8;
    facts.fp32_tflops = 1e-3 * facts.sm_count * clock_ghz *
                        fp32_flops_per_clock(facts.compute_major, facts.compute_minor);
  }
  return facts;
}

Result<DeviceFacts> cuda_facts(int ordinal) {
  WW_TRY(const CudaDriver driver, CudaDriver::open());
  CuDevice device = 0;
  WW_CHECK(
      driver.check(driver.device_get(&device, ordinal), "open GPU " + std::to_string(ordinal)));
  return facts_of(driver, device, ordinal);
}

}  // namespace warpwright::device
