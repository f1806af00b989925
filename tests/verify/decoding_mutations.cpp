// SPDX-License-Identifier: Apache-2.0
// Mistakes of decoding over ragged batches: caches, accepted drafts, lengths.
#include <algorithm>
#include <cmath>

#include "verify/mutation_makers.h"

namespace warpwright::verify {

namespace {

/// The last of equal logits instead of the first: the reference on rows in which it is the largest.
Outputs last_of_equals(const CaseData& d) {
  auto inputs = d.inputs;
  const std::size_t index = index_of(*d.instance.task, "logits");
  const ElementType type = d.instance.task->arguments[index].type;
  const std::size_t columns = value(d, "V");
  for (std::size_t t = 0; t < value(d, "T"); ++t) {
    std::size_t best = 0;
    for (std::size_t v = 0; v < columns; ++v) {
      set_element(type, inputs[index], t * columns + v, 0);
      if (input_at(d, "logits", t * columns + v) >= input_at(d, "logits", t * columns + best))
        best = v;
    }
    set_element(type, inputs[index], t * columns + best, 1);
  }
  return outputs_with(d, std::move(inputs));
}

Mutation keys_and_values_exchanged() {
  return {"keys and values exchanged", [](const CaseData& d) -> Outputs {
            auto inputs = d.inputs;
            std::swap(inputs[index_of(*d.instance.task, "k_new")],
                      inputs[index_of(*d.instance.task, "v_new")]);
            return outputs_with(d, std::move(inputs));
          }};
}

}  // namespace

List ems_append_kv_mutations() {
  return {
      unwritten("keys not appended", "k_cache"),
      unwritten("values not appended", "v_cache"),
      changed("appended over the last position", "seq_lens",
              [](const CaseData&, std::size_t, double v) { return std::max(0.0, v - 1); }),
      changed("length of the first sample for all", "seq_lens",
              [](const CaseData& d, std::size_t, double v) {
                return std::min(v, input_at(d, "seq_lens", 0));
              }),
      changed("last token of each sample lost", "token_nums",
              [](const CaseData&, std::size_t, double v) { return std::max(0.0, v - 1); }),
      keys_and_values_exchanged(),
  };
}

List ems_accept_mutations() {
  return {
      {"the last of equal logits", last_of_equals},
      values("tokens behind the end emitted",
             [](const CaseData&) -> std::optional<Values> {
               return Values{{"eos", -2}};
             }),
      changed("drafts compared with their own rows", "tokens",
              [](const CaseData& d, std::size_t k, double v) {
                return k + 1 < value(d, "T") ? input_at(d, "tokens", k + 1) : v;
              }),
      mapped("token behind the drafts not counted", "accepted",
             [](const CaseData&, std::size_t, double v) { return std::max(0.0, v - 1); }),
      mapped("finished samples emit a token", "accepted",
             [](const CaseData&, std::size_t, double v) { return std::max(1.0, v); }),
      mapped("all drafts counted", "accepted",
             [](const CaseData& d, std::size_t k, double) { return input_at(d, "token_nums", k); }),
      unwritten("lengths not advanced", "seq_lens"),
      mapped("lengths advanced by all drafts", "seq_lens",
             [](const CaseData& d, std::size_t k, double) {
               return input_at(d, "seq_lens", k) + input_at(d, "token_nums", k);
             }),
      unwritten("samples that go on not listed", "going_on"),
      mapped("all samples go on", "going_on",
             [](const CaseData&, std::size_t k, double) { return static_cast<double>(k); }),
      mapped("rest of the tokens cleared", "emitted",
             [](const CaseData& d, std::size_t k, double v) {
               const auto all = element_as_double(
                   ElementType::i32, d.honest[index_of(*d.instance.task, "counts")], 0);
               return static_cast<double>(k) < all ? v : 0;
             }),
      unwritten("tokens not packed", "emitted"),
  };
}

List decode_attention_mutations() {
  return {
      changed("attends to the whole cache", "seq_lens",
              [](const CaseData& d, std::size_t, double) { return d.instance.values.at("L_max"); }),
      changed("last position lost", "seq_lens",
              [](const CaseData&, std::size_t, double v) { return std::max(0.0, v - 1); }),
      changed("length of the first sample for all", "seq_lens",
              [](const CaseData& d, std::size_t, double) { return input_at(d, "seq_lens", 0); }),
      changed("scores not divided", "q",
              [](const CaseData& d, std::size_t, double v) {
                return v * std::sqrt(d.instance.values.at("Dh"));
              }),
  };
}

}  // namespace warpwright::verify
