// SPDX-License-Identifier: Apache-2.0
// Mistakes of tasks on matrices and volumes: swapped roles, wrong padding, wrong statistics.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "verify/mutation_makers.h"

namespace warpwright::verify {

List transpose_mutations() {
  return {values("rows and columns swapped", [](const CaseData& d) -> std::optional<Values> {
    return Values{{"rows", d.instance.values.at("cols")}, {"cols", d.instance.values.at("rows")}};
  })};
}

List matmul_mutations() {
  return {
      input("A read as its transpose", "A",
            [](const CaseData& d, float* a, std::size_t) {
              transposed_view(a, value(d, "M"), value(d, "K"));
            }),
      input("B read as its transpose", "B",
            [](const CaseData& d, float* b, std::size_t) {
              transposed_view(b, value(d, "K"), value(d, "N"));
            }),
      output("C written as its transpose", "C",
             [](const CaseData& d, float* c, std::size_t) {
               transposed_view(c, value(d, "N"), value(d, "M"));
             }),
      input("last step over K missing", "A",
            [](const CaseData& d, float* a, std::size_t) {
              for (std::size_t i = 0; i < value(d, "M"); ++i)
                a[i * value(d, "K") + value(d, "K") - 1] = 0;
            }),
      input("tail of K beyond a multiple of 16 missing", "A",
            [](const CaseData& d, float* a, std::size_t) {
              const std::size_t k = value(d, "K");
              for (std::size_t i = 0; i < value(d, "M"); ++i)
                std::fill(a + i * k + k / 16 * 16, a + (i + 1) * k, 0.0f);
            }),
      output("last row missing", "C",
             [](const CaseData& d, float* c, std::size_t n) {
               std::fill(c + n - value(d, "N"), c + n, 0.0f);
             }),
      output("last column missing", "C",
             [](const CaseData& d, float* c, std::size_t) {
               for (std::size_t i = 0; i < value(d, "M"); ++i) c[(i + 1) * value(d, "N") - 1] = 0;
             }),
  };
}

List maxpool3d_mutations() {
  return {
      output("padding counts as zero", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               if (value(d, "padding") == 0) return;
               for (std::size_t i = 0; i < n; ++i) {
                 const bool border =
                     i % value(d, "oW") == 0 || i / value(d, "oW") % value(d, "oH") == 0;
                 if (border) y[i] = std::max(y[i], 0.0f);
               }
             }),
      values("depth and width swapped",
             [](const CaseData& d) -> std::optional<Values> {
               const auto& v = d.instance.values;
               return Values{{"D", v.at("W")}, {"W", v.at("D")}};
             }),
      values("height and width swapped",
             [](const CaseData& d) -> std::optional<Values> {
               const auto& v = d.instance.values;
               return Values{{"H", v.at("W")}, {"W", v.at("H")}};
             }),
      {"minimum",
       [](const CaseData& d) -> Outputs {
         auto inputs = d.inputs;
         for (std::size_t i = 0; i < inputs[0].size() / 4; ++i)
           floats(inputs[0])[i] = -floats(inputs[0])[i];
         auto outputs = outputs_with(d, std::move(inputs));
         for (std::size_t i = 0; i < outputs[1].size() / 4; ++i)
           floats(outputs[1])[i] = -floats(outputs[1])[i];
         return outputs;
       }},
      output("starts from zero", "output",
             [](const CaseData&, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i) y[i] = std::max(y[i], 0.0f);
             }),
      output("starts from the lowest float", "output",
             [](const CaseData&, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i)
                 y[i] = std::max(y[i], std::numeric_limits<float>::lowest());
             }),
  };
}

static void layernorm_row(const CaseData& d, float* y, bool one_pass, bool assumed) {
  const std::size_t width = value(d, "C");
  for (std::size_t r = 0; r < value(d, "N"); ++r) {
    const float* x = in(d, "input") + r * width;
    float mean = 0;
    float square = 1;
    double sum = 0;
    double squares = 0;
    for (std::size_t c = 0; c < width; ++c) {
      sum += x[c];
      squares += double{x[c]} * x[c];
    }
    if (one_pass) {
      mean = static_cast<float>(sum / static_cast<double>(width));
      square = static_cast<float>(squares / static_cast<double>(width));
    }
    const float variance = std::max(0.0f, square - mean * mean);
    const float scale =
        assumed ? 1.0f
                : 1.0f / std::sqrt(variance + static_cast<float>(d.instance.values.at("eps")));
    for (std::size_t c = 0; c < width; ++c)
      y[r * width + c] = (x[c] - mean) * scale * in(d, "weight")[c] + in(d, "bias")[c];
  }
}

List layernorm_mutations() {
  return {
      input("weight ignored", "weight",
            [](const CaseData&, float* w, std::size_t n) { std::fill(w, w + n, 1.0f); }),
      input("bias ignored", "bias",
            [](const CaseData&, float* b, std::size_t n) { std::fill(b, b + n, 0.0f); }),
      values("eps ignored",
             [](const CaseData&) -> std::optional<Values> {
               return Values{{"eps", 0}};
             }),
      values("eps ten times too large",
             [](const CaseData& d) -> std::optional<Values> {
               return Values{{"eps", 10 * d.instance.values.at("eps")}};
             }),
      output("variance over C - 1", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               const double c = d.instance.values.at("C");
               for (std::size_t i = 0; i < n; ++i) {
                 const float bias = in(d, "bias")[i % value(d, "C")];
                 y[i] = static_cast<float>((y[i] - bias) * std::sqrt((c - 1) / c) + bias);
               }
             }),
      output("statistics assumed, not computed", "output",
             [](const CaseData& d, float* y, std::size_t) { layernorm_row(d, y, false, true); }),
      output("variance from the difference of two large floats", "output",
             [](const CaseData& d, float* y, std::size_t) { layernorm_row(d, y, true, false); }),
      {"statistics of half a row",
       [](const CaseData& d) -> Outputs {
         const std::size_t c = value(d, "C") / 2;
         if (c == 0 || d.instance.variant != nullptr) return std::nullopt;
         auto outputs = d.honest;
         float* y = floats(outputs[index_of(*d.instance.task, "output")]);
         for (std::size_t r = 0; r < value(d, "N"); ++r) {
           const float* x = in(d, "input") + r * value(d, "C");
           const double mean = std::accumulate(x, x + c, 0.0) / static_cast<double>(c);
           double squares = 0;
           for (std::size_t k = 0; k < c; ++k) squares += (x[k] - mean) * (x[k] - mean);
           const double scale =
               1 / std::sqrt(squares / static_cast<double>(c) + d.instance.values.at("eps"));
           for (std::size_t k = 0; k < value(d, "C"); ++k) {
             y[r * value(d, "C") + k] =
                 static_cast<float>((x[k] - mean) * scale * in(d, "weight")[k] + in(d, "bias")[k]);
           }
         }
         return outputs;
       }},
  };
}

List conv2d_mutations() {
  return {
      input("kernel flipped", "kernel",
            [](const CaseData&, float* k, std::size_t n) { std::reverse(k, k + n); }),
      input("kernel read as its transpose", "kernel",
            [](const CaseData& d, float* k, std::size_t) {
              transposed_view(k, value(d, "kernel_rows"), value(d, "kernel_cols"));
            }),
      input("last kernel row missing", "kernel",
            [](const CaseData& d, float* k, std::size_t n) {
              std::fill(k + n - value(d, "kernel_cols"), k + n, 0.0f);
            }),
      input("last kernel column missing", "kernel",
            [](const CaseData& d, float* k, std::size_t) {
              for (std::size_t r = 0; r < value(d, "kernel_rows"); ++r)
                k[(r + 1) * value(d, "kernel_cols") - 1] = 0;
            }),
      input("last input row missing", "input",
            [](const CaseData& d, float* x, std::size_t n) {
              std::fill(x + n - value(d, "input_cols"), x + n, 0.0f);
            }),
      input("shifted down by one row", "input",
            [](const CaseData& d, float* x, std::size_t n) {
              std::rotate(x, x + value(d, "input_cols"), x + n);
            }),
  };
}

// The largest score decides whether exp overflows in float.
static double largest_score(const CaseData& d) {
  const std::size_t n = value(d, "N");
  const std::size_t width = value(d, "d_model");
  const std::size_t d_k = width / value(d, "h");
  double largest = -1e300;
  for (std::size_t first = 0; first < width; first += d_k) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        double sum = 0;
        for (std::size_t j = first; j < first + d_k; ++j)
          sum += double{in(d, "Q")[a * width + j]} * in(d, "K")[b * width + j];
        largest = std::max(largest, sum / std::sqrt(static_cast<double>(d_k)));
      }
    }
  }
  return largest;
}

List mha_mutations() {
  const auto swapped = [](const char* name, const char* a, const char* b) {
    return Mutation{name, [a, b](const CaseData& d) -> Outputs {
                      auto inputs = d.inputs;
                      std::swap(inputs[index_of(*d.instance.task, a)],
                                inputs[index_of(*d.instance.task, b)]);
                      return outputs_with(d, std::move(inputs));
                    }};
  };
  return {
      input("scores not divided by sqrt(d_k)", "Q",
            [](const CaseData& d, float* q, std::size_t n) {
              const double d_k = d.instance.values.at("d_model") / d.instance.values.at("h");
              for (std::size_t i = 0; i < n; ++i) q[i] = static_cast<float>(q[i] * std::sqrt(d_k));
            }),
      input("scores divided by sqrt(d_model)", "Q",
            [](const CaseData& d, float* q, std::size_t n) {
              for (std::size_t i = 0; i < n; ++i)
                q[i] = static_cast<float>(q[i] / std::sqrt(d.instance.values.at("h")));
            }),
      values("one head",
             [](const CaseData&) -> std::optional<Values> {
               return Values{{"h", 1}};
             }),
      input("plain average of the values", "Q",
            [](const CaseData&, float* q, std::size_t n) { std::fill(q, q + n, 0.0f); }),
      swapped("queries and keys swapped", "Q", "K"),
      swapped("keys and values swapped", "K", "V"),
      {"largest score not subtracted",
       [](const CaseData& d) -> Outputs {
         if (d.instance.variant == nullptr || d.instance.variant->name != "large_scores" ||
             largest_score(d) < 89)
           return std::nullopt;
         auto outputs = d.honest;
         for (std::size_t i = 0; i < outputs[3].size() / 4; ++i)
           floats(outputs[3])[i] = std::numeric_limits<float>::quiet_NaN();
         return outputs;
       }},
      input("last key ignored", "K",
            [](const CaseData& d, float* k, std::size_t n) {
              std::fill(k + n - value(d, "d_model"), k + n, -30.0f);
            }),
  };
}

List copy_mutations() {
  return {output("transposed", "B",
                 [](const CaseData& d, float* b, std::size_t) {
                   transposed_view(b, value(d, "N"), value(d, "N"));
                 }),
          output("last row missing", "B", [](const CaseData& d, float* b, std::size_t n) {
            std::fill(b + n - value(d, "N"), b + n, 0.0f);
          })};
}

}  // namespace warpwright::verify
