// SPDX-License-Identifier: Apache-2.0
#include "data/sample.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace warpwright::data {

namespace {

constexpr double kTokensPerWord = 1.3;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct TypeRow {
  std::string_view type;
  std::string_view words;  ///< with spaces between; the first row with one of them counts
};

constexpr auto kTypes = std::to_array<TypeRow>({
    {"attention", "attention attn mha"},
    {"convolution", "conv"},
    {"sparse", "spmv csr sparse"},
    {"matmul", "matmul gemm linear ols regression"},
    {"pooling", "pool"},
    {"loss", "entropy xent mse loss"},
    {"normalisation", "norm softmax"},
    {"quantisation", "quant int8"},
    {"scan", "scan prefix cumsum"},
    {"selection", "sort topk top-k select argmax"},
    {"histogram", "histogram bincount"},
    {"reduction", "reduce reduction dot sum mean monte"},
    {"elementwise", "relu sigmoid gelu silu swiglu tanh rope elementwise add mul"},
    {"movement", "copy transpose reverse unpad gather scatter permute concat"},
});

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool has_one_of(const std::string& text, std::string_view words) {
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (text.find(words.substr(0, end)) != std::string::npos) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

double estimated_tokens(std::string_view text) {
  std::size_t units = 0;
  bool inside = false;
  for (const char c : text) {
    const bool word = is_word(c);
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if ((word && !inside) || (!word && !blank)) ++units;
    inside = word;
  }
  return static_cast<double>(units) * kTokensPerWord;
}

std::string without_code(std::string_view answer) {
  std::string kept;
  bool inside = false;
  for (const std::string_view line : lines_of(answer)) {
    if (trimmed(line).starts_with("```")) {
      inside = !inside;
    } else if (!inside) {
      kept.append(line).append("\n");
    }
  }
  return kept;
}

ThinkingLength thinking_of(const Sample& sample) {
  if (sample.reasoning_tokens > 0) return {static_cast<double>(sample.reasoning_tokens), true};
  if (!sample.reasoning.empty()) return {estimated_tokens(sample.reasoning), true};
  return {estimated_tokens(without_code(sample.answer)), false};
}

std::string_view task_type(std::string_view name, std::string_view title) {
  for (const std::string& text : {lower(name), lower(title)}) {
    for (const TypeRow& row : kTypes) {
      if (has_one_of(text, row.words)) return row.type;
    }
  }
  return "other";
}

std::string_view task_type(const Sample& sample) {
  return task_type(sample.task_name, sample.task ? std::string_view(sample.task->title) : "");
}

}  // namespace warpwright::data
