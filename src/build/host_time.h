// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch_plan.h"

namespace warpwright::build {

/// What solve takes on the host: processor time up to its return, less what writing down the plan
/// takes of it. `rest_us` was used by the process after it said that solve had returned; beyond
/// what reporting the plan takes, it counts too.
double host_time_us(const LaunchPlan& plan, double measured_us, double rest_us);

/// What a host needs for asking a device for these steps.
double launch_cost_us(const LaunchPlan& plan);

/// What a call costs beyond its device's time: the host's as far as it exceeds launching, and the
/// way of uploads over the bus, which a replay does not take.
double host_excess_us(const LaunchPlan& plan);

/// A call that keeps the host longer than this has no plan.
double most_host_us(const LaunchPlan& plan);

}  // namespace warpwright::build
