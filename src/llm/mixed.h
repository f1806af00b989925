// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "llm/model.h"

namespace warpwright::llm {

/// Several models behind one: Request::choice says which one answers. At least one.
std::unique_ptr<Model> make_mixed(std::vector<std::unique_ptr<Model>> models);

}  // namespace warpwright::llm
