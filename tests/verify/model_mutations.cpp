// SPDX-License-Identifier: Apache-2.0
// Mistakes of the language models' heavy kernels: products and attention of halves, quantisation,
// the loss of a large vocabulary.
#include <algorithm>
#include <cmath>
#include <vector>

#include "verify/mutation_makers.h"

namespace warpwright::verify {

namespace {

double as_half(double value) { return from_half_bits(to_half_bits(static_cast<float>(value))); }

/// Every product and every sum rounded to half; `every` = 32 promotes a sum after so many terms.
Outputs half_sums(const CaseData& d, std::size_t every) {
  auto outputs = d.honest;
  const std::size_t m = value(d, "M"), n = value(d, "N"), k = value(d, "K");
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0, part = 0;
      for (std::size_t s = 0; s < k; ++s) {
        part = as_half(part + input_at(d, "A", i * k + s) * input_at(d, "B", s * n + j));
        if ((s + 1) % every != 0 && s + 1 < k) continue;
        sum += part;
        part = 0;
      }
      set_element(ElementType::f16, output_of(outputs, d, "C"), i * n + j, sum);
    }
  }
  return outputs;
}

/// A matrix of halves read as if it had been stored the other way round.
Mutation read_transposed(std::string name, std::string argument, std::string rows,
                         std::string columns) {
  return changed(std::move(name), argument,
                 [argument, rows, columns](const CaseData& d, std::size_t k, double) {
                   const std::size_t r = k / value(d, columns), c = k % value(d, columns);
                   return input_at(d, argument, c * value(d, rows) + r);
                 });
}

/// What one query makes of the keys that `seen` allows it.
double attention(const CaseData& d, std::size_t k, std::size_t group,
                 const std::function<bool(std::size_t, std::size_t)>& seen) {
  const std::size_t length = value(d, "S"), dh = value(d, "Dh"), hk = value(d, "Hk");
  const std::size_t row = k / dh, s = row % length, b = row / length / value(d, "Hq");
  const std::size_t base = (b * hk + group) * length * dh;
  std::vector<double> score(length);
  double largest = -1e300, total = 0, sum = 0;
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t j = 0; j < dh; ++j)
      score[t] += input_at(d, "q", row * dh + j) * input_at(d, "k", base + t * dh + j);
    score[t] /= std::sqrt(static_cast<double>(dh));
    if (seen(s, t)) largest = std::max(largest, score[t]);
  }
  for (std::size_t t = 0; t < length; ++t) {
    if (!seen(s, t)) continue;
    const double weight = std::exp(score[t] - largest);
    total += weight;
    sum += weight * input_at(d, "v", base + t * dh + k % dh);
  }
  return total > 0 ? sum / total : 0;
}

Mutation other_mask(std::string name, std::function<bool(std::size_t, std::size_t)> seen) {
  return mapped(std::move(name), "out", [seen](const CaseData& d, std::size_t k, double v) {
    if (value(d, "S") > 40) return v;  // small cases show it as well, and sooner
    const std::size_t h = k / value(d, "Dh") / value(d, "S") % value(d, "Hq");
    return attention(d, k, h / (value(d, "Hq") / value(d, "Hk")), seen);
  });
}

}  // namespace

List quant_int8_mutations() {
  const auto quotient = [](const CaseData& d, std::size_t k) {
    const auto& scale = d.expected[index_of(*d.instance.task, "scale")].wide;
    return input_at(d, "x", k) / scale[k / value(d, "C")];
  };
  return {
      mapped("cut off instead of rounded", "q",
             [quotient](const CaseData& d, std::size_t k, double) {
               return std::trunc(quotient(d, k));
             }),
      mapped("rounded down", "q",
             [quotient](const CaseData& d, std::size_t k, double) {
               return std::floor(quotient(d, k));
             }),
      mapped("sign lost", "q", [](const CaseData&, std::size_t, double v) { return std::fabs(v); }),
      mapped("one scale for all rows", "scale",
             [](const CaseData& d, std::size_t, double) {
               return d.expected[index_of(*d.instance.task, "scale")].wide[0];
             }),
      mapped("divided by 128", "scale",
             [](const CaseData&, std::size_t, double v) { return v * 127 / 128; }),
      mapped("inverse scale", "scale",
             [](const CaseData&, std::size_t, double v) { return 1 / v; }),
      mapped("scale of zeros is 0", "scale",
             [](const CaseData& d, std::size_t k, double v) {
               double sum = 0;
               for (std::size_t c = 0; c < value(d, "C"); ++c)
                 sum += std::fabs(input_at(d, "x", k * value(d, "C") + c));
               return sum == 0 ? 0 : v;
             }),
      changed("largest instead of largest magnitude", "x",
              [](const CaseData&, std::size_t, double v) { return std::max(v, 0.0); }),
  };
}

List gemm_f16_mutations() {
  return {
      {"sums in half", [](const CaseData& d) { return half_sums(d, std::size_t{1} << 30); }},
      {"sums in half, promoted every 32 terms", [](const CaseData& d) { return half_sums(d, 32); }},
      read_transposed("A read as its transpose", "A", "M", "K"),
      read_transposed("B read as its transpose", "B", "K", "N"),
      changed("last step over K missing", "A",
              [](const CaseData& d, std::size_t k, double v) {
                return k % value(d, "K") == value(d, "K") - 1 ? 0 : v;
              }),
      changed("tail of K beyond a multiple of 16 missing", "A",
              [](const CaseData& d, std::size_t k, double v) {
                return k % value(d, "K") >= value(d, "K") / 16 * 16 ? 0 : v;
              }),
      mapped("last row missing", "C",
             [](const CaseData& d, std::size_t k, double v) {
               return k / value(d, "N") == value(d, "M") - 1 ? 0 : v;
             }),
      mapped("last column missing", "C",
             [](const CaseData& d, std::size_t k, double v) {
               return k % value(d, "N") == value(d, "N") - 1 ? 0 : v;
             }),
  };
}

List flash_attn_causal_mutations() {
  return {
      other_mask("sees what comes later", [](std::size_t, std::size_t) { return true; }),
      other_mask("does not see itself", [](std::size_t s, std::size_t t) { return t < s; }),
      other_mask("sees one too many", [](std::size_t s, std::size_t t) { return t <= s + 1; }),
      other_mask("first key left out",
                 [](std::size_t s, std::size_t t) { return t <= s && (t > 0 || s == 0); }),
      mapped("heads paired the other way", "out",
             [](const CaseData& d, std::size_t k, double v) {
               if (value(d, "S") > 40) return v;
               const std::size_t h = k / value(d, "Dh") / value(d, "S") % value(d, "Hq");
               return attention(d, k, h % value(d, "Hk"),
                                [](std::size_t s, std::size_t t) { return t <= s; });
             }),
      changed("scores not divided", "q",
              [](const CaseData& d, std::size_t, double v) {
                return v * std::sqrt(d.instance.values.at("Dh"));
              }),
      {"keys and values mixed up",
       [](const CaseData& d) -> Outputs {
         auto inputs = d.inputs;
         std::swap(inputs[index_of(*d.instance.task, "k")],
                   inputs[index_of(*d.instance.task, "v")]);
         return outputs_with(d, std::move(inputs));
       }},
  };
}

List xent_fwd_bwd_mutations() {
  return {
      mapped("softmax without the label", "dlogits",
             [](const CaseData& d, std::size_t k, double v) {
               const std::size_t words = value(d, "V");
               const double label = input_at(d, "labels", k / words);
               if (label != static_cast<double>(k % words)) return v;
               double tokens = 0;
               for (std::size_t n = 0; n < value(d, "N"); ++n)
                 tokens += input_at(d, "labels", n) != -100;
               return v + 16 * d.instance.values.at("N") / tokens;
             }),
      mapped("nothing but the label", "dlogits",
             [](const CaseData& d, std::size_t k, double v) {
               const double label = input_at(d, "labels", k / value(d, "V"));
               return label == static_cast<double>(k % value(d, "V")) ? v : 0;
             }),
      mapped(
          "sum instead of mean", "loss",
          [](const CaseData& d, std::size_t, double v) { return v * d.instance.values.at("N"); }),
      changed("ignored tokens counted", "labels",
              [](const CaseData&, std::size_t, double v) { return std::max(v, 0.0); }),
      mapped("mean over all tokens", "loss",
             [](const CaseData& d, std::size_t, double v) {
               double tokens = 0;
               for (std::size_t n = 0; n < value(d, "N"); ++n)
                 tokens += input_at(d, "labels", n) != -100;
               return v * tokens / d.instance.values.at("N");
             }),
      mapped("gradient not scaled", "dlogits",
             [](const CaseData& d, std::size_t, double v) {
               return v / (16 * d.instance.values.at("N"));
             }),
      mapped("ignored rows not written", "dlogits",
             [](const CaseData& d, std::size_t k, double v) {
               return input_at(d, "labels", k / value(d, "V")) == -100 ? 7 : v;
             }),
      mapped("largest logit not subtracted", "dlogits",
             [](const CaseData& d, std::size_t k, double v) {
               return input_at(d, "logits", k) > 89 ? std::nan("") : v;
             }),
      changed("last word not summed", "logits",
              [](const CaseData& d, std::size_t k, double v) {
                return k % value(d, "V") == value(d, "V") - 1 && value(d, "V") > 1 ? -60000 : v;
              }),
  };
}

}  // namespace warpwright::verify
