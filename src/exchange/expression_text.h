// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright::exchange {

enum class Language { cpp, python };

/// An expression of a task (core/expression.h) as a program writes it. In C++ all names are
/// doubles; functions beside C's are ww_mod and ww_and, ww_or. In Python names are whole numbers,
/// and a floored quotient stays one.
Result<std::string> expression_text(std::string_view text, Language language);

}  // namespace warpwright::exchange
