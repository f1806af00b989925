// SPDX-License-Identifier: Apache-2.0
// Which task has which mistakes of its own.
#include <map>
#include <string>

#include "verify/mutation_makers.h"

namespace warpwright::verify {

std::vector<Mutation> special_mutations(const Task& task) {
  static const std::map<std::string, List (*)()> table = {
      {"conv2d", conv2d_mutations},
      {"copy", copy_mutations},
      {"cross_entropy", cross_entropy_mutations},
      {"dot", dot_mutations},
      {"histogram", histogram_mutations},
      {"layernorm", layernorm_mutations},
      {"matmul", matmul_mutations},
      {"maxpool3d", maxpool3d_mutations},
      {"mha", mha_mutations},
      {"monte_carlo", monte_carlo_mutations},
      {"mse", mse_mutations},
      {"ols", ols_mutations},
      {"reduce", reduce_mutations},
      {"relu", relu_mutations},
      {"reverse", reverse_mutations},
      {"scan", scan_mutations},
      {"sigmoid", sigmoid_mutations},
      {"sort", sort_mutations},
      {"topk", topk_mutations},
      {"add_rmsnorm", add_rmsnorm_mutations},
      {"decode_attention", decode_attention_mutations},
      {"ems_accept", ems_accept_mutations},
      {"ems_accept_bf16", ems_accept_mutations},
      {"ems_append_kv", ems_append_kv_mutations},
      {"ems_verify_attention", ems_verify_attention_mutations},
      {"ems_verify_attention_bf16", ems_verify_attention_mutations},
      {"layernorm_bwd", layernorm_bwd_mutations},
      {"rope", rope_mutations},
      {"span_attention", span_attention_mutations},
      {"spmv_csr", spmv_csr_mutations},
      {"swiglu", swiglu_mutations},
      {"unpad_input", unpad_input_mutations},
      {"flash_attn_causal", flash_attn_causal_mutations},
      {"gemm_f16", gemm_f16_mutations},
      {"quant_int8", quant_int8_mutations},
      {"xent_fwd_bwd", xent_fwd_bwd_mutations},
      {"transpose", transpose_mutations}};
  const auto found = table.find(task.name);
  return found == table.end() ? List{} : found->second();
}

}  // namespace warpwright::verify
