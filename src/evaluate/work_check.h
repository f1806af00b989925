// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/stages.h"

namespace warpwright::evaluate {

/// Whether calls do the work that the task's rule demands (verify/work_rule.h): at the size that
/// was drawn for it, at all timed sizes and at the plain edge sizes, each run once on the SIMT
/// machine, which counts, as far as their work allows. Sizes that could not be judged are
/// unchecked.
Outcome<> check_work(const Prepared& prepared, const verify::ExpectedSource* reference,
                     Context& context);

}  // namespace warpwright::evaluate
