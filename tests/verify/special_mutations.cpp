// SPDX-License-Identifier: Apache-2.0
// Mistakes that belong to one task each: swapped roles, wrong padding, missing factors.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "verify/bench_case.h"

namespace warpwright::verify {

namespace {

using Outputs = std::optional<std::vector<Bytes>>;
using List = std::vector<Mutation>;

std::size_t value(const CaseData& data, std::string_view name) {
  return static_cast<std::size_t>(data.trial.values.find(name)->second);
}

/// The only output's floats, changed by a function of the case.
Mutation output(std::string name, std::string argument,
                std::function<void(const CaseData&, float*, std::size_t)> change) {
  return {std::move(name), [argument, change](const CaseData& data) -> Outputs {
            auto outputs = data.honest;
            auto& bytes = outputs[index_of(*data.trial.task, argument)];
            change(data, floats(bytes), bytes.size() / 4);
            return outputs;
          }};
}

/// The reference on an input changed by a function of the case.
Mutation input(std::string name, std::string argument,
               std::function<void(const CaseData&, float*, std::size_t)> change) {
  return {std::move(name), [argument, change](const CaseData& data) -> Outputs {
            auto inputs = data.inputs;
            auto& bytes = inputs[index_of(*data.trial.task, argument)];
            change(data, floats(bytes), bytes.size() / 4);
            return outputs_with(data, std::move(inputs));
          }};
}

Mutation values(std::string name, std::function<std::optional<Values>(const CaseData&)> change) {
  return {std::move(name), [change](const CaseData& data) -> Outputs {
            const auto changes = change(data);
            if (!changes) return std::nullopt;
            return outputs_with(data, data.inputs, *changes);
          }};
}

Mutation times(std::string name, std::string argument,
               std::function<double(const CaseData&)> factor) {
  return output(std::move(name), std::move(argument),
                [factor](const CaseData& d, float* y, std::size_t n) {
                  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<float>(y[i] * factor(d));
                });
}

const float* in(const CaseData& data, std::string_view name) {
  return floats(data.inputs[index_of(*data.trial.task, name)]);
}

// a[r][c] becomes what a kernel sees that takes the matrix for its transpose.
void transposed_view(float* a, std::size_t rows, std::size_t cols) {
  const std::vector<float> old(a, a + rows * cols);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) a[r * cols + c] = old[c * rows + r];
  }
}

List transpose_mutations() {
  return {values("rows and columns swapped", [](const CaseData& d) -> std::optional<Values> {
    return Values{{"rows", d.trial.values.at("cols")}, {"cols", d.trial.values.at("rows")}};
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
               const auto& v = d.trial.values;
               return Values{{"D", v.at("W")}, {"W", v.at("D")}};
             }),
      values("height and width swapped",
             [](const CaseData& d) -> std::optional<Values> {
               const auto& v = d.trial.values;
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

void layernorm_row(const CaseData& d, float* y, bool one_pass, bool assumed) {
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
        assumed ? 1.0f : 1.0f / std::sqrt(variance + static_cast<float>(d.trial.values.at("eps")));
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
               return Values{{"eps", 10 * d.trial.values.at("eps")}};
             }),
      output("variance over C - 1", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               const double c = d.trial.values.at("C");
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
         if (c == 0 || d.trial.variant != nullptr) return std::nullopt;
         auto outputs = d.honest;
         float* y = floats(outputs[index_of(*d.trial.task, "output")]);
         for (std::size_t r = 0; r < value(d, "N"); ++r) {
           const float* x = in(d, "input") + r * value(d, "C");
           const double mean = std::accumulate(x, x + c, 0.0) / static_cast<double>(c);
           double squares = 0;
           for (std::size_t k = 0; k < c; ++k) squares += (x[k] - mean) * (x[k] - mean);
           const double scale =
               1 / std::sqrt(squares / static_cast<double>(c) + d.trial.values.at("eps"));
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
double largest_score(const CaseData& d) {
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
                      std::swap(inputs[index_of(*d.trial.task, a)],
                                inputs[index_of(*d.trial.task, b)]);
                      return outputs_with(d, std::move(inputs));
                    }};
  };
  return {
      input("scores not divided by sqrt(d_k)", "Q",
            [](const CaseData& d, float* q, std::size_t n) {
              const double d_k = d.trial.values.at("d_model") / d.trial.values.at("h");
              for (std::size_t i = 0; i < n; ++i) q[i] = static_cast<float>(q[i] * std::sqrt(d_k));
            }),
      input("scores divided by sqrt(d_model)", "Q",
            [](const CaseData& d, float* q, std::size_t n) {
              for (std::size_t i = 0; i < n; ++i)
                q[i] = static_cast<float>(q[i] / std::sqrt(d.trial.values.at("h")));
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
         if (d.trial.variant == nullptr || d.trial.variant->name != "large_scores" ||
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

List mse_mutations() {
  return {
      times("not divided by N", "mse", [](const CaseData& d) { return d.trial.values.at("N"); }),
      times(
          "divided by N + 1", "mse",
          [](const CaseData& d) { return d.trial.values.at("N") / (d.trial.values.at("N") + 1); }),
      output("mean absolute error", "mse",
             [](const CaseData& d, float* y, std::size_t) {
               double sum = 0;
               for (std::size_t i = 0; i < value(d, "N"); ++i)
                 sum += std::fabs(double{in(d, "predictions")[i]} - in(d, "targets")[i]);
               *y = static_cast<float>(sum / d.trial.values.at("N"));
             }),
      output("root of the result", "mse",
             [](const CaseData&, float* y, std::size_t) { *y = std::sqrt(*y); }),
  };
}

List relu_mutations() {
  return {
      output("absolute value", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i) y[i] = std::fabs(in(d, "input")[i]);
             }),
      output("leaky", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i)
                 y[i] = std::max(0.01f * in(d, "input")[i], in(d, "input")[i]);
             }),
      output("capped at six", "output",
             [](const CaseData&, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i) y[i] = std::min(y[i], 6.0f);
             }),
  };
}

List sigmoid_mutations() {
  return {
      output("tanh of hardware quality", "Y",
             [](const CaseData&, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i) {
                 const float t = 2 * y[i] - 1;
                 y[i] = 0.5f * static_cast<float>(std::round(t * 2048.0) / 2048.0) + 0.5f;
               }
             }),
      output("overflow for large negative arguments", "Y",
             [](const CaseData& d, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i) {
                 const float e = std::exp(in(d, "X")[i]);  // e / (1 + e) is NaN when e overflows
                 y[i] = e / (1 + e);
               }
             }),
      output("clamped to [-8, 8]", "Y",
             [](const CaseData&, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i) y[i] = std::clamp(y[i], 3.3535e-4f, 0.99966465f);
             }),
      output("one minus the result", "Y",
             [](const CaseData&, float* y, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i) y[i] = 1 - y[i];
             }),
  };
}

List topk_mutations() {
  return {
      output("ascending", "output",
             [](const CaseData&, float* y, std::size_t n) { std::reverse(y, y + n); }),
      output("smallest instead of largest", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               std::vector<float> all(in(d, "input"), in(d, "input") + value(d, "N"));
               std::sort(all.begin(), all.end());
               std::copy(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), y);
             }),
      output("equal values only once", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               std::vector<float> all(in(d, "input"), in(d, "input") + value(d, "N"));
               std::sort(all.begin(), all.end(), std::greater<float>());
               all.erase(std::unique(all.begin(), all.end()), all.end());
               for (std::size_t i = 0; i < n; ++i) y[i] = i < all.size() ? all[i] : all.back();
             }),
      output("largest of the first half", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               if (value(d, "N") < 2 * n) return;
               std::vector<float> all(in(d, "input"), in(d, "input") + value(d, "N") / 2);
               std::sort(all.begin(), all.end(), std::greater<float>());
               std::copy(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), y);
             }),
      output("not in order", "output",
             [](const CaseData&, float* y, std::size_t n) {
               if (n > 1) std::swap(y[0], y[1]);
             }),
  };
}

List sort_mutations() {
  return {
      output("descending", "data",
             [](const CaseData&, float* y, std::size_t n) { std::reverse(y, y + n); }),
      output("two sorted halves", "data",
             [](const CaseData& d, float* y, std::size_t n) {
               std::copy(in(d, "data"), in(d, "data") + n, y);
               std::sort(y, y + n / 2);
               std::sort(y + n / 2, y + n);
             }),
      output("the smallest value everywhere", "data",
             [](const CaseData&, float* y, std::size_t n) { std::fill(y, y + n, y[0]); }),
      output("one value lost, one doubled", "data",
             [](const CaseData&, float* y, std::size_t n) {
               if (n > 1) y[n / 2] = y[n / 2 - 1];
             }),
      output("too few phases", "data",
             [](const CaseData& d, float* y, std::size_t n) {
               std::copy(in(d, "data"), in(d, "data") + n, y);
               for (std::size_t phase = 0; phase + 2 < n; ++phase) {
                 for (std::size_t i = phase % 2; i + 1 < n; i += 2) {
                   if (y[i] > y[i + 1]) std::swap(y[i], y[i + 1]);
                 }
               }
             }),
      output("a ramp between the extremes", "data",
             [](const CaseData&, float* y, std::size_t n) {
               const float low = y[0];
               const float high = y[n - 1];
               for (std::size_t i = 0; i + 1 < n; ++i)
                 y[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(n);
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

List reduce_mutations() {
  return {
      output("largest element", "output",
             [](const CaseData& d, float* y, std::size_t) {
               *y = *std::max_element(in(d, "input"), in(d, "input") + value(d, "N"));
             }),
      times("mean", "output", [](const CaseData& d) { return 1 / d.trial.values.at("N"); }),
      input("sum of magnitudes", "input",
            [](const CaseData&, float* x, std::size_t n) {
              for (std::size_t i = 0; i < n; ++i) x[i] = std::fabs(x[i]);
            }),
      input("tail beyond a multiple of 32 missing", "input",
            [](const CaseData&, float* x, std::size_t n) {
              std::fill(x + n / 32 * 32, x + n, 0.0f);
            }),
      input("every 256th element counted twice", "input",
            [](const CaseData&, float* x, std::size_t n) {
              for (std::size_t i = 0; i < n; i += 256) x[i] *= 2;
            }),
  };
}

List dot_mutations() {
  return {
      {"square of one input",
       [](const CaseData& d) -> Outputs {
         auto inputs = d.inputs;
         inputs[1] = inputs[0];
         return outputs_with(d, std::move(inputs));
       }},
      input("sum of one input", "B",
            [](const CaseData&, float* b, std::size_t n) { std::fill(b, b + n, 1.0f); }),
      input("tail beyond a multiple of 32 missing", "A",
            [](const CaseData&, float* a, std::size_t n) {
              std::fill(a + n / 32 * 32, a + n, 0.0f);
            }),
  };
}

List scan_mutations() {
  return {
      output("exclusive", "output",
             [](const CaseData&, float* y, std::size_t n) {
               std::rotate(y, y + n - 1, y + n);
               y[0] = 0;
             }),
      output("blocks of 256 without carry", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               double sum = 0;
               for (std::size_t i = 0; i < n; ++i) {
                 sum = i % 256 == 0 ? in(d, "input")[i] : sum + in(d, "input")[i];
                 y[i] = static_cast<float>(sum);
               }
             }),
      output("from the other end", "output",
             [](const CaseData&, float* y, std::size_t n) { std::reverse(y, y + n); }),
      output("carry of one block lost", "output",
             [](const CaseData& d, float* y, std::size_t n) {
               const std::size_t from = n - n % 1024;
               if (from == 0 || from == n) return;
               const float carry = y[from - 1];
               static_cast<void>(d);
               for (std::size_t i = from; i < n; ++i) y[i] -= carry;
             }),
  };
}

List cross_entropy_mutations() {
  return {
      {"labels off by one",
       [](const CaseData& d) -> Outputs {
         auto inputs = d.inputs;
         for (std::size_t i = 0; i < value(d, "N"); ++i)
           ints(inputs[1])[i] = (ints(inputs[1])[i] + 1) % static_cast<int>(value(d, "C"));
         return outputs_with(d, std::move(inputs));
       }},
      times("sum instead of mean", "loss",
            [](const CaseData& d) { return d.trial.values.at("N"); }),
      output("largest logit not subtracted", "loss",
             [](const CaseData& d, float* y, std::size_t) {
               const auto* z = in(d, "logits");
               const float largest = *std::max_element(z, z + value(d, "N") * value(d, "C"));
               if (largest > 89) *y = std::numeric_limits<float>::infinity();
             }),
      output("largest logit in place of the log-sum-exp", "loss",
             [](const CaseData& d, float* y, std::size_t) {
               const std::size_t c = value(d, "C");
               double sum = 0;
               for (std::size_t i = 0; i < value(d, "N"); ++i) {
                 const float* z = in(d, "logits") + i * c;
                 sum += *std::max_element(z, z + c) - z[ints(d.inputs[1])[i]];
               }
               *y = static_cast<float>(sum / d.trial.values.at("N"));
             }),
      values("last row missing",
             [](const CaseData& d) -> std::optional<Values> {
               if (value(d, "N") < 2) return std::nullopt;
               return Values{{"N", d.trial.values.at("N") - 1}};
             }),
      output("logits as probabilities", "loss",
             [](const CaseData& d, float* y, std::size_t) { *y = -in(d, "logits")[0]; }),
  };
}

List monte_carlo_mutations() {
  return {
      times(
          "factor b - a missing", "result",
          [](const CaseData& d) { return 1 / (d.trial.values.at("b") - d.trial.values.at("a")); }),
      times("factor b + a", "result",
            [](const CaseData& d) {
              return (d.trial.values.at("b") + d.trial.values.at("a")) /
                     (d.trial.values.at("b") - d.trial.values.at("a"));
            }),
      times("not divided by the number of samples", "result",
            [](const CaseData& d) { return d.trial.values.at("n_samples"); }),
      times("divided by one less", "result",
            [](const CaseData& d) {
              const double n = d.trial.values.at("n_samples");
              return n > 1 ? n / (n - 1) : 1;
            }),
      output("the true integral of the sine", "result",
             [](const CaseData&, float* y, std::size_t) { *y = 0; }),
  };
}

List histogram_mutations() {
  const auto recount = [](std::string name, std::function<int(int, int)> bin_of,
                          bool cleared = true) {
    return Mutation{std::move(name), [bin_of, cleared](const CaseData& d) -> Outputs {
                      auto outputs = d.honest;
                      const int bins = static_cast<int>(value(d, "num_bins"));
                      if (cleared)
                        std::fill(outputs[1].begin(), outputs[1].end(), std::byte{0});
                      else
                        poison(d.trial.seed + 5, 1, outputs[1]);
                      for (std::size_t i = 0; i < value(d, "N"); ++i) {
                        const int bin = bin_of(ints(d.inputs[0])[i], bins);
                        if (bin >= 0 && bin < bins)
                          ints(outputs[1])[bin] =
                              static_cast<int>(static_cast<unsigned>(ints(outputs[1])[bin]) + 1);
                      }
                      return outputs;
                    }};
  };
  return {
      recount("out of range counted in the end bins",
              [](int v, int bins) { return std::clamp(v, 0, bins - 1); }),
      recount(
          "out of range wrapped around",
          [](int v, int bins) { return static_cast<int>(((long long){v} % bins + bins) % bins); }),
      recount("one bin too high", [](int v, int bins) { return v < bins ? v + 1 : v; }),
      recount(
          "not set to zero first", [](int v, int) { return v; }, false),
      recount("last bin missing", [](int v, int bins) { return v == bins - 1 ? -1 : v; }),
  };
}

List ols_mutations() {
  return {
      output("each column on its own", "beta",
             [](const CaseData& d, float* beta, std::size_t p) {
               for (std::size_t j = 0; j < p; ++j) {
                 double xy = 0;
                 double xx = 0;
                 for (std::size_t i = 0; i < value(d, "n_samples"); ++i) {
                   xy += double{in(d, "X")[i * p + j]} * in(d, "y")[i];
                   xx += double{in(d, "X")[i * p + j]} * in(d, "X")[i * p + j];
                 }
                 beta[j] = static_cast<float>(xy / xx);
               }
             }),
      output("two coefficients swapped", "beta",
             [](const CaseData&, float* beta, std::size_t p) {
               if (p > 1) std::swap(beta[0], beta[p - 1]);
             }),
      output("X taken for the identity", "beta",
             [](const CaseData& d, float* beta, std::size_t p) {
               std::copy(in(d, "y"), in(d, "y") + p, beta);
             }),
      input("X read as its transpose", "X",
            [](const CaseData& d, float* x, std::size_t) {
              transposed_view(x, value(d, "n_samples"), value(d, "n_features"));
            }),
      values("last sample missing",
             [](const CaseData& d) -> std::optional<Values> {
               if (value(d, "n_samples") <= value(d, "n_features")) return std::nullopt;
               return Values{{"n_samples", d.trial.values.at("n_samples") - 1}};
             }),
      output("shrunk by a ridge", "beta",
             [](const CaseData&, float* beta, std::size_t p) {
               for (std::size_t j = 0; j < p; ++j) beta[j] *= 0.999f;
             }),
  };
}

List reverse_mutations() {
  return {output("middle pair not exchanged", "input",
                 [](const CaseData&, float* x, std::size_t n) {
                   if (n > 1) std::swap(x[n / 2 - 1], x[(n + 1) / 2]);
                 }),
          output("reversed twice", "input",
                 [](const CaseData&, float* x, std::size_t n) { std::reverse(x, x + n); })};
}

}  // namespace

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
      {"transpose", transpose_mutations}};
  const auto found = table.find(task.name);
  return found == table.end() ? List{} : found->second();
}

}  // namespace warpwright::verify
