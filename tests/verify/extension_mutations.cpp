// SPDX-License-Identifier: Apache-2.0
// Mistakes of the tasks beyond the paper's: ragged batches, caches, rotations, gradients.
#include <algorithm>
#include <cmath>
#include <vector>

#include "verify/mutation_makers.h"

namespace warpwright::verify {

namespace {

std::size_t tokens(const CaseData& d) {
  std::size_t sum = 0;
  for (std::size_t b = 0; b < value(d, "B"); ++b)
    sum += static_cast<std::size_t>(input_at(d, "token_nums", b));
  return sum;
}

/// New tokens see the later ones of their sample, too: what a launch without an order may do.
Outputs sees_later_drafts(const CaseData& d) {
  auto outputs = d.honest;
  auto& out = output_of(outputs, d, "out");
  const ElementType type = d.instance.task->arguments[index_of(*d.instance.task, "out")].type;
  const std::size_t heads = value(d, "H"), dh = value(d, "Dh"), l_max = value(d, "L_max");
  std::size_t t = 0;
  const auto& cache = d.expected;
  const auto& keys = cache[index_of(*d.instance.task, "k_cache")].wide;
  const auto& values = cache[index_of(*d.instance.task, "v_cache")].wide;
  for (std::size_t b = 0; b < value(d, "B"); ++b) {
    const auto drafts = static_cast<std::size_t>(input_at(d, "token_nums", b));
    const auto count = static_cast<std::size_t>(input_at(d, "seq_lens", b)) + drafts;
    for (std::size_t s = 0; s < drafts; ++s, ++t) {
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t row = (t * heads + h) * dh, base = (b * heads + h) * l_max * dh;
        std::vector<double> weight(count);
        double largest = -1e300, total = 0;
        for (std::size_t p = 0; p < count; ++p) {
          for (std::size_t j = 0; j < dh; ++j)
            weight[p] += input_at(d, "q", row + j) * keys[base + p * dh + j];
          weight[p] /= std::sqrt(static_cast<double>(dh));
          largest = std::max(largest, weight[p]);
        }
        for (double& w : weight) total += w = std::exp(w - largest);
        for (std::size_t j = 0; j < dh; ++j) {
          double sum = 0;
          for (std::size_t p = 0; p < count; ++p) sum += weight[p] * values[base + p * dh + j];
          set_element(type, out, row + j, sum / total);
        }
      }
    }
  }
  return outputs;
}

}  // namespace

List unpad_input_mutations() {
  return {
      {"padding kept",
       [](const CaseData& d) -> Outputs {
         auto outputs = d.honest;
         output_of(outputs, d, "packed") = d.inputs[index_of(*d.instance.task, "padded")];
         return outputs;
       }},
      mapped("rest of the rows cleared", "packed",
             [](const CaseData& d, std::size_t k, double v) {
               return k / value(d, "D") < tokens(d) ? v : 0;
             }),
      mapped("rest of the indices cleared", "pos_idx",
             [](const CaseData& d, std::size_t k, double v) { return k < tokens(d) ? v : 0; }),
      mapped("positions counted from one", "pos_idx",
             [](const CaseData& d, std::size_t k, double v) { return k < tokens(d) ? v + 1 : v; }),
      mapped("packed row instead of position", "pos_idx",
             [](const CaseData& d, std::size_t k, double v) {
               return k < tokens(d) ? static_cast<double>(k) : v;
             }),
      unwritten("samples not named", "batch_idx"),
      changed("one token of each sample lost", "token_nums",
              [](const CaseData&, std::size_t, double v) { return std::max(0.0, v - 1); }),
  };
}

List span_attention_mutations() {
  return {
      {"attends to the whole cache",
       [](const CaseData& d) -> Outputs {
         auto inputs = d.inputs;
         const std::size_t spans = value(d, "spans");
         for (std::size_t i = 0; i < value(d, "B") * spans; ++i) {
           set_element(ElementType::i32, inputs[index_of(*d.instance.task, "span_start")], i, 0);
           set_element(ElementType::i32, inputs[index_of(*d.instance.task, "span_len")], i,
                       i % spans == 0 ? d.instance.values.at("L_max") : 0);
         }
         return outputs_with(d, std::move(inputs));
       }},
      changed("first span only", "span_len",
              [](const CaseData& d, std::size_t k, double v) {
                return k % value(d, "spans") == 0 ? v : 0;
              }),
      changed("last position of each span lost", "span_len",
              [](const CaseData&, std::size_t, double v) { return std::max(0.0, v - 1); }),
      changed("spans begin at 0", "span_start",
              [](const CaseData&, std::size_t, double) { return 0.0; }),
      changed("scores not divided", "q",
              [](const CaseData& d, std::size_t, double v) {
                return v * std::sqrt(d.instance.values.at("Dh"));
              }),
      changed("all samples take the first one's spans", "span_start",
              [](const CaseData& d, std::size_t k, double) {
                return input_at(d, "span_start", k % value(d, "spans"));
              }),
  };
}

List ems_verify_attention_mutations() {
  return {
      {"later drafts seen", sees_later_drafts},
      unwritten("keys not appended", "k_cache"),
      unwritten("values not appended", "v_cache"),
      changed("appended over the last position", "seq_lens",
              [](const CaseData&, std::size_t, double v) { return std::max(0.0, v - 1); }),
      changed("scores not divided", "q",
              [](const CaseData& d, std::size_t, double v) {
                return v * std::sqrt(d.instance.values.at("Dh"));
              }),
      {"keys and values mixed up",
       [](const CaseData& d) -> Outputs {
         auto inputs = d.inputs;
         std::swap(inputs[index_of(*d.instance.task, "k_new")],
                   inputs[index_of(*d.instance.task, "v_new")]);
         return outputs_with(d, std::move(inputs));
       }},
  };
}

List add_rmsnorm_mutations() {
  return {
      unwritten("residual not stored", "residual"),
      changed("weight ignored", "weight", [](const CaseData&, std::size_t, double) { return 1.0; }),
      changed("nothing added", "x", [](const CaseData&, std::size_t, double) { return 0.0; }),
      mapped("not normalised", "out",
             [](const CaseData& d, std::size_t k, double) {
               return (input_at(d, "x", k) + input_at(d, "residual", k)) *
                      input_at(d, "weight", k % value(d, "C"));
             }),
      mapped("sum instead of mean", "out",
             [](const CaseData& d, std::size_t, double v) {
               return v / std::sqrt(d.instance.values.at("C"));
             }),
  };
}

List swiglu_mutations() {
  const auto gate = [](const CaseData& d, std::size_t k, bool up) {
    const std::size_t f = value(d, "F");
    return input_at(d, "gate_up", k / f * 2 * f + k % f + (up ? f : 0));
  };
  return {
      mapped("gate and value exchanged", "out",
             [gate](const CaseData& d, std::size_t k, double) {
               const double u = gate(d, k, true);
               return u / (1 + std::exp(-u)) * gate(d, k, false);
             }),
      mapped("pairs instead of halves", "out",
             [](const CaseData& d, std::size_t k, double) {
               const double g = input_at(d, "gate_up", 2 * k);
               return g / (1 + std::exp(-g)) * input_at(d, "gate_up", 2 * k + 1);
             }),
      mapped("sigmoid without its factor", "out",
             [gate](const CaseData& d, std::size_t k, double) {
               return 1 / (1 + std::exp(-gate(d, k, false))) * gate(d, k, true);
             }),
      mapped("clipped at zero", "out",
             [gate](const CaseData& d, std::size_t k, double) {
               return std::max(0.0, gate(d, k, false)) * gate(d, k, true);
             }),
      mapped("overflow becomes NaN", "out",
             [gate](const CaseData& d, std::size_t k, double v) {
               return gate(d, k, false) < -88 ? std::nan("") : v;
             }),
  };
}

List rope_mutations() {
  return {
      unwritten("keys not rotated", "k"),
      unwritten("queries not rotated", "q"),
      changed("turned the other way", "sin_t",
              [](const CaseData&, std::size_t, double v) { return -v; }),
      changed("token number for position", "positions",
              [](const CaseData& d, std::size_t k, double) {
                return static_cast<double>(k % value(d, "P"));
              }),
      changed("position of the first token for all", "positions",
              [](const CaseData& d, std::size_t, double) { return input_at(d, "positions", 0); }),
      mapped("neighbours paired", "q",
             [](const CaseData& d, std::size_t k, double) {
               const std::size_t dh = value(d, "Dh"), row = k / dh, j = k % dh / 2;
               const auto p =
                   static_cast<std::size_t>(input_at(d, "positions", row / value(d, "Hq")));
               const double c = input_at(d, "cos_t", p * dh / 2 + j),
                            s = input_at(d, "sin_t", p * dh / 2 + j);
               const double a = input_at(d, "q", row * dh + 2 * j),
                            b = input_at(d, "q", row * dh + 2 * j + 1);
               return k % 2 == 0 ? a * c - b * s : b * c + a * s;
             }),
  };
}

List layernorm_bwd_mutations() {
  return {
      changed("weight ignored", "weight", [](const CaseData&, std::size_t, double) { return 1.0; }),
      changed("mean ignored", "mean", [](const CaseData&, std::size_t, double) { return 0.0; }),
      changed("scale ignored", "rstd", [](const CaseData&, std::size_t, double) { return 1.0; }),
      mapped("averages left out of dx", "dx",
             [](const CaseData& d, std::size_t k, double) {
               const std::size_t c = value(d, "C");
               return input_at(d, "rstd", k / c) * input_at(d, "dy", k) *
                      input_at(d, "weight", k % c);
             }),
      mapped(
          "mean instead of sum", "db",
          [](const CaseData& d, std::size_t, double v) { return v / d.instance.values.at("N"); }),
      mapped("last row left out", "dw",
             [](const CaseData& d, std::size_t k, double v) {
               const std::size_t n = value(d, "N") - 1, at = n * value(d, "C") + k;
               return v - input_at(d, "dy", at) * (input_at(d, "x", at) - input_at(d, "mean", n)) *
                              input_at(d, "rstd", n);
             }),
  };
}

List spmv_csr_mutations() {
  return {
      changed("one column to the right", "col_idx",
              [](const CaseData& d, std::size_t, double v) {
                return static_cast<double>((static_cast<std::size_t>(v) + 1) % value(d, "cols"));
              }),
      changed("all rows of the mean length", "row_ptr",
              [](const CaseData& d, std::size_t k, double) {
                return static_cast<double>(k * value(d, "per_row"));
              }),
      mapped("first entry of each row lost", "y",
             [](const CaseData& d, std::size_t k, double v) {
               const double first = input_at(d, "row_ptr", k);
               if (first >= input_at(d, "row_ptr", k + 1)) return v;
               const auto i = static_cast<std::size_t>(first);
               const auto column = static_cast<std::size_t>(input_at(d, "col_idx", i));
               return v - input_at(d, "values", i) * input_at(d, "x", column);
             }),
      mapped("empty rows not written", "y",
             [](const CaseData& d, std::size_t k, double v) {
               return input_at(d, "row_ptr", k) == input_at(d, "row_ptr", k + 1) ? 7 : v;
             }),
      changed("values taken for ones", "values",
              [](const CaseData&, std::size_t, double) { return 1.0; }),
  };
}

}  // namespace warpwright::verify
