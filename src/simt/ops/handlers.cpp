// SPDX-License-Identifier: Apache-2.0
// The rows of the table that are steps of the machine, by opcode.
#include "simt/ops/handlers.h"

#include "simt/ops/mbarrier.h"
#include "simt/ops/tensor.h"
#include "simt/ops/wgmma.h"

namespace warpwright::simt {
namespace {

struct StepRow {
  Handler run;
  OpClass cost;
};

constexpr StepRow kSteps[] = {
#define STEP(opcode, handler, cost) {handler, OpClass::cost},
#include "simt/isa/steps.def"
};

}  // namespace

Handler handler_of(Opcode opcode) { return kSteps[static_cast<std::size_t>(opcode)].run; }

OpClass class_of(Opcode opcode) { return kSteps[static_cast<std::size_t>(opcode)].cost; }

}  // namespace warpwright::simt
