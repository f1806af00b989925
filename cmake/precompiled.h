// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precompiled_std.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
