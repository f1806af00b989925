// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "evaluate/measure.h"

namespace warpwright::evaluate {

namespace {

void add(std::map<std::string, std::string>& manifest, const char* key, std::string value) {
  if (!value.empty() && value != "0") manifest[key] = std::move(value);
}

}  // namespace

GpuWatch::GpuWatch(Session& session) {
  if (!session.prepared.target.is_cuda) return;
  const auto monitor = session.context.station.monitor(session.prepared.target);
  if (!monitor.ok()) {
    note(session.context, "nobody watched the GPU's clocks: " + monitor.error().message);
    return;
  }
  monitor_ = *monitor;
  watch_ = profile::ClockWatch([monitor = monitor_] { return monitor->read(); });
}

void GpuWatch::write_manifest(const Session& session, std::size_t input_sets) const {
  auto& manifest = session.context.notes.manifest;
  const device::DeviceInfo& info = session.device.info();
  add(manifest, "device", info.facts.name);
  add(manifest, "device_description", info.description);
  add(manifest, "compute_capability",
      fmt::format("{}.{}", info.facts.compute_major, info.facts.compute_minor));
  add(manifest, "front_end",
      std::string(build::name_of(session.prepared.candidate.code.front_end)));
  add(manifest, "flags", fmt::format("-O{}", build::BuildRequest{}.optimisation));
  add(manifest, "code", session.prepared.candidate.code.cubin.empty() ? "ptx" : "cubin");
  add(manifest, "timer_overhead_us", fmt::format("{:.3f}", info.timer_overhead_us));
  add(manifest, "input_sets", fmt::format("{}", input_sets));
  add(manifest, "seed", session.context.notes.seed);
  add(manifest, "cache", "L2 overwritten before each timed call");
  if (monitor_ == nullptr || watch_.readings() == 0) return;
  add(manifest, "driver", monitor_->driver_version());
  add(manifest, "sm_clock_mhz_first", fmt::format("{}", watch_.first().sm_mhz));
  add(manifest, "sm_clock_mhz_last", fmt::format("{}", watch_.last().sm_mhz));
  add(manifest, "sm_clock_mhz_lowest", fmt::format("{}", watch_.lowest_mhz()));
  add(manifest, "sm_clock_mhz_highest", fmt::format("{}", watch_.highest_mhz()));
  add(manifest, "sm_clock_mhz_limit", fmt::format("{}", watch_.last().max_sm_mhz));
  add(manifest, "memory_clock_mhz", fmt::format("{}", watch_.last().memory_mhz));
  add(manifest, "temperature_c_highest", fmt::format("{}", watch_.highest_c()));
  add(manifest, "power_w_highest", fmt::format("{:.0f}", watch_.highest_w()));
  add(manifest, "slowed_by", device::describe_reasons(watch_.reasons()));
  add(manifest, "clock_readings", fmt::format("{}", watch_.readings()));
}

}  // namespace warpwright::evaluate
