// SPDX-License-Identifier: Apache-2.0
// Mistakes of tasks on arrays: missing factors, lost elements, wrong order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "verify/mutation_makers.h"

namespace warpwright::verify {

List mse_mutations() {
  return {
      times("not divided by N", "mse", [](const CaseData& d) { return d.instance.values.at("N"); }),
      times("divided by N + 1", "mse",
            [](const CaseData& d) {
              return d.instance.values.at("N") / (d.instance.values.at("N") + 1);
            }),
      output("mean absolute error", "mse",
             [](const CaseData& d, float* y, std::size_t) {
               double sum = 0;
               for (std::size_t i = 0; i < value(d, "N"); ++i)
                 sum += std::fabs(double{in(d, "predictions")[i]} - in(d, "targets")[i]);
               *y = static_cast<float>(sum / d.instance.values.at("N"));
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

List reduce_mutations() {
  return {
      output("largest element", "output",
             [](const CaseData& d, float* y, std::size_t) {
               *y = *std::max_element(in(d, "input"), in(d, "input") + value(d, "N"));
             }),
      times("mean", "output", [](const CaseData& d) { return 1 / d.instance.values.at("N"); }),
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
            [](const CaseData& d) { return d.instance.values.at("N"); }),
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
               *y = static_cast<float>(sum / d.instance.values.at("N"));
             }),
      values("last row missing",
             [](const CaseData& d) -> std::optional<Values> {
               if (value(d, "N") < 2) return std::nullopt;
               return Values{{"N", d.instance.values.at("N") - 1}};
             }),
      output("logits as probabilities", "loss",
             [](const CaseData& d, float* y, std::size_t) { *y = -in(d, "logits")[0]; }),
  };
}

List monte_carlo_mutations() {
  return {
      times("factor b - a missing", "result",
            [](const CaseData& d) {
              return 1 / (d.instance.values.at("b") - d.instance.values.at("a"));
            }),
      times("factor b + a", "result",
            [](const CaseData& d) {
              return (d.instance.values.at("b") + d.instance.values.at("a")) /
                     (d.instance.values.at("b") - d.instance.values.at("a"));
            }),
      times("not divided by the number of samples", "result",
            [](const CaseData& d) { return d.instance.values.at("n_samples"); }),
      times("divided by one less", "result",
            [](const CaseData& d) {
              const double n = d.instance.values.at("n_samples");
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
                        poison(d.instance.seed + 5, 1, outputs[1]);
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
               return Values{{"n_samples", d.instance.values.at("n_samples") - 1}};
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

}  // namespace warpwright::verify
