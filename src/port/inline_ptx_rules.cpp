// SPDX-License-Identifier: Apache-2.0
#include "port/inline_ptx_rules.h"

#include "port/ptx_operations.h"

namespace warpwright::port {

namespace {

constexpr PtxWord kSpecials[] = {
    {"laneid", "ww_lane_id()"},
    {"lanemask_lt", "ww_lanemask_lt()"},
    {"lanemask_le", "ww_lanemask_le()"},
    {"lanemask_gt", "ww_lanemask_gt()"},
    {"lanemask_ge", "ww_lanemask_ge()"},
    {"lanemask_eq", "ww_lanemask_eq()"},
    {"warpid", "ww_warp_id()"},
    {"smid", "ww_sm_id()"},
    {"clock", "(unsigned)clock64()"},
    {"clock64", "clock64()"},
    {"globaltimer", "ww_global_timer()"},
    {"tid.x", "threadIdx.x"},
    {"tid.y", "threadIdx.y"},
    {"tid.z", "threadIdx.z"},
    {"ntid.x", "blockDim.x"},
    {"ntid.y", "blockDim.y"},
    {"ntid.z", "blockDim.z"},
    {"ctaid.x", "blockIdx.x"},
    {"ctaid.y", "blockIdx.y"},
    {"ctaid.z", "blockIdx.z"},
    {"nctaid.x", "gridDim.x"},
    {"nctaid.y", "gridDim.y"},
    {"nctaid.z", "gridDim.z"},
    {"WARP_SZ", "32u"},
};

constexpr OperationRow kOperations[] = {
    {"mov", 1, "$1"},
    {"cvt", 1, "$1"},
    {"cvta.to.global", 1, "$1"},
    {"cvta.to.shared", 1, "$1"},
    {"cvta.global", 1, "$1"},
    {"add", 2, "$1 + $2"},
    {"sub", 2, "$1 - $2"},
    {"mul.lo", 2, "$1 * $2"},
    {"mul", 2, "$1 * $2"},
    {"mul.hi", 2, "ww_mul_hi($1, $2)"},
    {"mul.wide", 2, "ww_mul_wide($1, $2)"},
    {"mul24.lo", 2, "ww_low24($1) * ww_low24($2)"},
    {"mad.lo", 3, "$1 * $2 + $3"},
    {"mad.hi", 3, "ww_mul_hi($1, $2) + $3"},
    {"mad.wide", 3, "ww_mul_wide($1, $2) + $3"},
    {"mad", 3, "ww_fma($1, $2, $3)"},
    {"fma", 3, "ww_fma($1, $2, $3)"},
    {"div", 2, "$1 / $2"},
    {"div.full", 2, "$1 / $2"},
    {"rem", 2, "$1 % $2"},
    {"min", 2, "ww_min($1, $2)"},
    {"max", 2, "ww_max($1, $2)"},
    {"and", 2, "$1 & $2"},
    {"or", 2, "$1 | $2"},
    {"xor", 2, "$1 ^ $2"},
    {"not", 1, "~$1"},
    {"cnot", 1, "$1 == 0"},
    {"neg", 1, "-$1"},
    {"abs", 1, "ww_abs($1)"},
    {"shl", 2, "ww_shl($1, $2)"},
    {"shr", 2, "ww_shr($1, $2)"},
    {"shf.l.wrap", 3, "ww_shf_l($1, $2, $3)"},
    {"shf.r.wrap", 3, "ww_shf_r($1, $2, $3)"},
    {"popc", 1, "ww_popc($1)"},
    {"clz", 1, "ww_clz($1)"},
    {"brev", 1, "ww_brev($1)"},
    {"bfind", 1, "ww_bfind($1)"},
    {"bfe", 3, "ww_bfe($1, $2, $3)"},
    {"bfi", 4, "ww_bfi($1, $2, $3, $4)"},
    {"prmt", 3, "ww_prmt($1, $2, $3)"},
    {"lop3", 4, "ww_lop3($1, $2, $3, $4)"},
    {"sad", 3, "ww_max($1, $2) - ww_min($1, $2) + $3"},
    {"selp", 3, "$3 ? $1 : $2"},
    {"dp4a", 3, "ww_dp4a($1, $2, $3)"},
    {"rcp", 1, "$T(1) / $1"},
    {"sqrt", 1, "ww_sqrt($1)"},
    {"rsqrt", 1, "$T(1) / ww_sqrt($1)"},
    {"sin", 1, "__sinf($1)"},
    {"cos", 1, "__cosf($1)"},
    {"tanh", 1, "tanhf($1)"},
    {"ex2", 1, "exp2f($1)"},
    {"lg2", 1, "__log2f($1)"},
    {"copysign", 2, "ww_copysign($2, $1)"},
    {"vshr.clamp.add", 3, "ww_shr($1, $2) + $3"},
    {"vshl.clamp.add", 3, "ww_shl($1, $2) + $3"},
};

constexpr PtxWord kPlain[] = {
    {"bar.sync 0", "__syncthreads()"},
    {"barrier.sync 0", "__syncthreads()"},
    {"bar.warp.sync 0xffffffff", "ww_syncwarp()"},
    {"membar.gl", "__threadfence()"},
    {"membar.cta", "__threadfence_block()"},
    {"membar.sys", "__threadfence_system()"},
    {"fence.acq_rel.gpu", "__threadfence()"},
    {"fence.acq_rel.cta", "__threadfence_block()"},
    {"fence.acq_rel.sys", "__threadfence_system()"},
    {"trap", "__builtin_trap()"},
    {"brkpt", "__builtin_trap()"},
};

}  // namespace

std::span<const PtxWord> special_registers() { return kSpecials; }
std::span<const OperationRow> inline_operations() { return kOperations; }
std::span<const PtxWord> plain_instructions() { return kPlain; }

bool is_hint(std::string_view word) {
  if (is_common_hint(word)) return true;
  for (const std::string_view hint :
       {"rn", "ftz", "approx", "sat", "full", "volatile", "acquire", "release"})
    if (word == hint) return true;
  return false;
}

}  // namespace warpwright::port
