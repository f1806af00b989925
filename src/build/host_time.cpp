// SPDX-License-Identifier: Apache-2.0
#include "build/host_time.h"

#include <algorithm>

namespace warpwright::build {

namespace {

// The recorder's share, per call, per step and per byte of its parameters and uploads: the upper
// end of what was measured on a busy two-core machine, where a first call also has its pages to
// fault in (docs/judge.md).
constexpr double kCallUs = 150;
constexpr double kStepUs = 1.0;
constexpr double kByteUs = 0.002;
constexpr double kReportUs = 200;

// Launching takes a host 2 to 4 us on current drivers; allocations far more.
constexpr double kLaunchUs = 4;

// Pageable memory to a device.
constexpr double kBusBytesPerUs = 12e3;
constexpr double kMostHostUs = 20e3;

std::uint64_t uploaded_bytes(const LaunchPlan& plan) {
  std::uint64_t bytes = 0;
  for (const PlanStep& step : plan.steps) {
    if (const auto* upload = std::get_if<Upload>(&step)) bytes += upload->bytes.size();
  }
  return bytes;
}

std::uint64_t bytes_of(const LaunchPlan& plan) {
  std::uint64_t bytes = uploaded_bytes(plan);
  for (const PlanStep& step : plan.steps) {
    if (const auto* launch = std::get_if<KernelLaunch>(&step)) bytes += launch->parameters.size();
  }
  return bytes;
}

}  // namespace

double host_time_us(const LaunchPlan& plan, double measured_us, double rest_us) {
  const double own = kStepUs * static_cast<double>(plan.steps.size()) +
                     kByteUs * static_cast<double>(bytes_of(plan));
  return std::max(0.0, measured_us - kCallUs - own) + std::max(0.0, rest_us - kReportUs - own);
}

double launch_cost_us(const LaunchPlan& plan) {
  return kLaunchUs * static_cast<double>(plan.steps.size());
}

double host_excess_us(const LaunchPlan& plan) {
  return std::max(0.0, plan.host_us - launch_cost_us(plan)) +
         static_cast<double>(uploaded_bytes(plan)) / kBusBytesPerUs;
}

double most_host_us(const LaunchPlan& plan) { return kMostHostUs + 4 * launch_cost_us(plan); }

}  // namespace warpwright::build
