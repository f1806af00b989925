// SPDX-License-Identifier: Apache-2.0
#pragma once

// Short ways to write a mutation of one output, one input or one value.

#include <cmath>
#include <functional>
#include <utility>

#include "verify/bench_case.h"

namespace warpwright::verify {

using Outputs = std::optional<std::vector<Bytes>>;
using List = std::vector<Mutation>;

inline std::size_t value(const CaseData& data, std::string_view name) {
  return static_cast<std::size_t>(data.instance.values.find(name)->second);
}

/// The only output's floats, changed by a function of the case.
inline Mutation output(std::string name, std::string argument,
                       std::function<void(const CaseData&, float*, std::size_t)> change) {
  return {std::move(name), [argument, change](const CaseData& data) -> Outputs {
            auto outputs = data.honest;
            auto& bytes = outputs[index_of(*data.instance.task, argument)];
            change(data, floats(bytes), bytes.size() / 4);
            return outputs;
          }};
}

/// The reference on an input changed by a function of the case.
inline Mutation input(std::string name, std::string argument,
                      std::function<void(const CaseData&, float*, std::size_t)> change) {
  return {std::move(name), [argument, change](const CaseData& data) -> Outputs {
            auto inputs = data.inputs;
            auto& bytes = inputs[index_of(*data.instance.task, argument)];
            change(data, floats(bytes), bytes.size() / 4);
            return outputs_with(data, std::move(inputs));
          }};
}

inline Mutation values(std::string name,
                       std::function<std::optional<Values>(const CaseData&)> change) {
  return {std::move(name), [change](const CaseData& data) -> Outputs {
            const auto changes = change(data);
            if (!changes) return std::nullopt;
            return outputs_with(data, data.inputs, *changes);
          }};
}

inline Mutation times(std::string name, std::string argument,
                      std::function<double(const CaseData&)> factor) {
  return output(std::move(name), std::move(argument),
                [factor](const CaseData& d, float* y, std::size_t n) {
                  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<float>(y[i] * factor(d));
                });
}

/// The reference on an input changed element by element: a function of the case, the element's
/// index and its value.
inline Mutation changed(std::string name, std::string argument,
                        std::function<double(const CaseData&, std::size_t, double)> change) {
  return {std::move(name), [argument, change](const CaseData& data) -> Outputs {
            auto inputs = data.inputs;
            const std::size_t index = index_of(*data.instance.task, argument);
            const ElementType type = data.instance.task->arguments[index].type;
            for (std::size_t k = 0; k < inputs[index].size() / bytes_of(type); ++k) {
              const double old = element_as_double(type, data.inputs[index], k);
              set_element(type, inputs[index], k, change(data, k, old));
            }
            return outputs_with(data, std::move(inputs));
          }};
}

/// One output as a copy of what the inout held before: never written.
inline Mutation unwritten(std::string name, std::string argument) {
  return {std::move(name), [argument](const CaseData& data) -> Outputs {
            auto outputs = data.honest;
            const std::size_t index = index_of(*data.instance.task, argument);
            outputs[index] = data.inputs[index];
            return outputs;
          }};
}

inline Bytes& output_of(std::vector<Bytes>& outputs, const CaseData& data, std::string_view name) {
  return outputs[index_of(*data.instance.task, name)];
}

/// One output changed element by element.
inline Mutation mapped(std::string name, std::string argument,
                       std::function<double(const CaseData&, std::size_t, double)> change) {
  return {std::move(name), [argument, change](const CaseData& data) -> Outputs {
            auto outputs = data.honest;
            auto& bytes = output_of(outputs, data, argument);
            const ElementType type =
                data.instance.task->arguments[index_of(*data.instance.task, argument)].type;
            for (std::size_t k = 0; k < bytes.size() / bytes_of(type); ++k)
              set_element(type, bytes, k, change(data, k, element_as_double(type, bytes, k)));
            return outputs;
          }};
}

/// Element k of a named argument's input.
inline double input_at(const CaseData& data, std::string_view name, std::size_t k) {
  const std::size_t index = index_of(*data.instance.task, name);
  return element_as_double(data.instance.task->arguments[index].type, data.inputs[index], k);
}

inline const float* in(const CaseData& data, std::string_view name) {
  return floats(data.inputs[index_of(*data.instance.task, name)]);
}

// a[r][c] becomes what a kernel sees that takes the matrix for its transpose.
inline void transposed_view(float* a, std::size_t rows, std::size_t cols) {
  const std::vector<float> old(a, a + rows * cols);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) a[r * cols + c] = old[c * rows + r];
  }
}

/// The lists of special_mutations.cpp's table, by task.
List add_rmsnorm_mutations();
List conv2d_mutations();
List copy_mutations();
List cross_entropy_mutations();
List decode_attention_mutations();
List dot_mutations();
List ems_accept_mutations();
List ems_append_kv_mutations();
List ems_verify_attention_mutations();
List flash_attn_causal_mutations();
List gemm_f16_mutations();
List histogram_mutations();
List layernorm_bwd_mutations();
List layernorm_mutations();
List matmul_mutations();
List maxpool3d_mutations();
List mha_mutations();
List monte_carlo_mutations();
List mse_mutations();
List ols_mutations();
List quant_int8_mutations();
List reduce_mutations();
List relu_mutations();
List reverse_mutations();
List rope_mutations();
List scan_mutations();
List sigmoid_mutations();
List sort_mutations();
List span_attention_mutations();
List spmv_csr_mutations();
List swiglu_mutations();
List topk_mutations();
List transpose_mutations();
List unpad_input_mutations();
List xent_fwd_bwd_mutations();

}  // namespace warpwright::verify
