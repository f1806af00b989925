// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "simt/lower/lowering.h"
#include "simt/ops/tensor.h"

namespace warpwright::simt {

/// An instruction with the statement's guard; its operands are filled in through Lowering::last().
Status emit_guarded(Lowering& l, Opcode opcode);
/// The same where the form decides about handler and class.
Status emit_guarded(Lowering& l, Opcode opcode, Handler run, OpClass op_class);

/// Whether an instruction's name has this modifier.
inline bool has(const std::vector<std::string_view>& parts, std::string_view what) {
  return std::find(parts.begin(), parts.end(), what) != parts.end();
}

Status decode_load(Lowering& l);
Status decode_store(Lowering& l);
Status decode_atomic(Lowering& l);
Status decode_copy_async(Lowering& l);
Status decode_barrier(Lowering& l);
Status decode_shuffle(Lowering& l);
Status decode_vote(Lowering& l);
Status decode_match(Lowering& l);
Status decode_redux(Lowering& l);
Status decode_elect(Lowering& l);
Status decode_active_mask(Lowering& l);
Status decode_mma(Lowering& l);
Status decode_wmma(Lowering& l);
Status decode_matrix_rows(Lowering& l);
Status decode_wgmma(Lowering& l);
/// "f16", "bf16", ... of matrix instructions.
std::optional<Element> element(std::string_view name);
Status decode_movmatrix(Lowering& l);
Status decode_mbarrier(Lowering& l);
Status decode_copy_bulk(Lowering& l);
Status decode_copy_tensor(Lowering& l);
Status decode_texture(Lowering& l);
Status decode_surface(Lowering& l);
Status decode_store_async(Lowering& l);
Status decode_reduce_async(Lowering& l);
Status decode_mapa(Lowering& l);
Status decode_cluster_barrier(Lowering& l);

}  // namespace warpwright::simt
