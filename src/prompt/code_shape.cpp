// SPDX-License-Identifier: Apache-2.0
#include "prompt/code_shape.h"

#include <algorithm>

namespace warpwright::prompt {

namespace {

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_word_start(c) || (c >= '0' && c <= '9'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

constexpr std::size_t kMaxKernels = 256;
constexpr std::size_t kMaxNameBytes = 256;

class Glance {
 public:
  explicit Glance(std::string_view code) : code_(code) {}

  CodeShape run() {
    while (at_ < code_.size()) step();
    shape_.balanced = shape_.balanced && braces_ == 0;
    return std::move(shape_);
  }

 private:
  [[nodiscard]] bool starts(std::string_view text) const {
    return code_.substr(at_).starts_with(text);
  }

  void step() {
    const char c = code_[at_];
    if (starts("//")) return skip_past("\n", true);
    if (starts("/*")) {
      at_ += 2;
      return skip_past("*/", false);
    }
    if (c == '"') return skip_string();
    if (c == '\'') return skip_char();
    if (is_word_start(c)) return read_word();
    if (c >= '0' && c <= '9') {  // 1'000 and 0xFF are no characters and no words
      while (at_ < code_.size() && (is_word(code_[at_]) || code_[at_] == '\'')) ++at_;
      return;
    }
    if (!is_space(c)) read_sign(c);
    ++at_;
  }

  void skip_past(std::string_view end, bool end_of_text_is_fine) {
    const auto found = code_.find(end, at_);
    if (found == code_.npos && !end_of_text_is_fine) shape_.balanced = false;
    at_ = found == code_.npos ? code_.size() : found + end.size();
  }

  /// A literal ends with its line: a stray quote must not swallow the rest.
  void skip_string() {
    if (at_ > 0 && code_[at_ - 1] == 'R') return skip_raw_string();
    for (++at_; at_ < code_.size() && code_[at_] != '\n'; ++at_) {
      if (code_[at_] == '"') {
        ++at_;
        break;
      }
      if (code_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_, code_.size());
  }

  void skip_raw_string() {
    const auto open = code_.substr(at_, 20).find('(');
    if (open == code_.npos) {
      ++at_;
      return;
    }
    const std::string end = ")" + std::string(code_.substr(at_ + 1, open - 1)) + "\"";
    at_ += open;
    skip_past(end, false);
  }

  void skip_char() {
    // Only 'x' and short escapes; else it is an apostrophe.
    const auto end =
        code_.substr(at_, 8).find('\'', at_ + 1 < code_.size() && code_[at_ + 1] == '\\' ? 3 : 2);
    const bool literal = end != code_.npos && code_.substr(at_, end).find('\n') == code_.npos;
    at_ += literal ? end + 1 : 1;
  }

  void read_word() {
    const std::size_t begin = at_;
    while (at_ < code_.size() && is_word(code_[at_])) ++at_;
    word_ = code_.substr(begin, at_ - begin);
    behind_ = Owner::other;
    if (word_ == "__global__") {
      shape_.names_global = true;
      wants_kernel_ = true;
    } else if (word_ == "__device__" || word_ == "include" || word_ == "define") {
      shape_.names_device = true;
    }
  }

  void read_sign(char c) {
    if (c == '(') {
      open_paren();
    } else if (c == ')') {
      behind_ = parens_.empty() ? Owner::other : parens_.back();
      if (!parens_.empty()) parens_.pop_back();
    } else {
      if (c == '{') begin_body();
      behind_ = Owner::other;
    }
    if (c == '{') ++braces_;
    if (c == '}' && --braces_ < 0) shape_.balanced = false;
    if (c == ';') wants_kernel_ = false;
    word_ = {};
  }

  void open_paren() {
    Owner owner = Owner::other;
    if (word_ == "solve") {
      shape_.names_solve = true;
      owner = Owner::solve;
    } else if (wants_kernel_ && !word_.empty() && word_ != "__launch_bounds__" &&
               word_ != "__cluster_dims__" && word_ != "__attribute__") {
      owner = Owner::kernel;
      kernel_ = word_;
      wants_kernel_ = false;
    }
    parens_.push_back(owner);
  }

  void begin_body() {
    if (behind_ == Owner::solve) shape_.defines_solve = true;
    if (behind_ == Owner::kernel && shape_.kernels.size() < kMaxKernels) {
      shape_.kernels.emplace_back(kernel_.substr(0, kMaxNameBytes));
    }
  }

  /// Whose parameter list a pair of parentheses is.
  enum class Owner : unsigned char { other, solve, kernel };

  std::string_view code_;
  std::size_t at_ = 0;
  CodeShape shape_;
  std::string_view word_;        ///< the word just read, empty behind any sign
  std::string_view kernel_;      ///< the __global__ function named last
  std::vector<Owner> parens_;    ///< the open ones
  Owner behind_ = Owner::other;  ///< the parameter list that was just closed
  bool wants_kernel_ = false;    ///< behind __global__, before the function's name
  long long braces_ = 0;
};

}  // namespace

CodeShape shape_of(std::string_view code) { return Glance(code).run(); }

}  // namespace warpwright::prompt
