// SPDX-License-Identifier: Apache-2.0
#include "ptx/prints.h"

#include "ptx/lexer.h"

namespace warpwright::ptx {

namespace {

// ptxas knows vprintf by its name: a function of ours needs another one.
constexpr std::string_view kPrint = "vprintf";
constexpr std::string_view kCount = "ww_prints_nothing";

// printed_arguments() in PTX; -1 where there is no format.
constexpr std::string_view kDefinition = R"(
.func (.param .b32 ww_count) ww_prints_nothing(.param .b64 ww_format, .param .b64 ww_values)
{
	.reg .pred %p<8>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, 0;
	ld.param.u64 %rd1, [ww_format];
	setp.ne.s64 %p1, %rd1, 0;
	@%p1 bra text;
	mov.u32 %r1, -1;
	bra.uni done;
text:
	ld.u8 %r2, [%rd1];
	add.s64 %rd1, %rd1, 1;
	setp.eq.s32 %p1, %r2, 0;
	@%p1 bra done;
	setp.ne.s32 %p1, %r2, 37;
	@%p1 bra text;
	ld.u8 %r2, [%rd1];
	setp.ne.s32 %p1, %r2, 37;
	@%p1 bra conversion;
	add.s64 %rd1, %rd1, 1;
	bra text;
conversion:
	ld.u8 %r2, [%rd1];
	setp.eq.s32 %p1, %r2, 0;
	@%p1 bra done;
	add.s64 %rd1, %rd1, 1;
	setp.eq.s32 %p2, %r2, 42;
	@%p2 add.s32 %r1, %r1, 1;
	setp.eq.s32 %p3, %r2, 104;
	setp.eq.or.s32 %p3, %r2, 106, %p3;
	setp.eq.or.s32 %p3, %r2, 108, %p3;
	setp.eq.or.s32 %p3, %r2, 116, %p3;
	setp.eq.or.s32 %p3, %r2, 122, %p3;
	@%p3 bra conversion;
	or.b32 %r3, %r2, 32;
	setp.lt.s32 %p4, %r3, 97;
	setp.gt.or.s32 %p4, %r3, 122, %p4;
	@%p4 bra conversion;
	add.s32 %r1, %r1, 1;
	bra text;
done:
	st.param.b32 [ww_count], %r1;
	ret;
}
)";

/// Writes a text anew, with some parts of it replaced.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  void replace(std::size_t begin, std::size_t end, std::string_view by) {
    written_ += text_.substr(done_, begin - done_);
    written_ += by;
    done_ = end;
  }
  [[nodiscard]] std::string finish() && { return written_ += text_.substr(done_); }

 private:
  std::string_view text_;
  std::string written_;
  std::size_t done_ = 0;
};

}  // namespace

int printed_arguments(std::string_view format) {
  int count = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (i + 1 < format.size() && format[i + 1] == '%') {
      ++i;
      continue;
    }
    // '*' is an argument, too; a letter that says no more than how long one is ends nothing.
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      const char lower = static_cast<char>(c | 32);
      if (c == '*') ++count;
      if (lower < 'a' || lower > 'z' || std::string_view("hjltz").find(c) != std::string_view::npos)
        continue;
      ++count;
      break;
    }
  }
  return count;
}

std::optional<std::string> without_prints(std::string_view ptx) {
  if (ptx.find(kPrint) == std::string_view::npos) return std::nullopt;
  const auto at = [&](std::string_view word) {
    return static_cast<std::size_t>(word.data() - ptx.data());
  };
  Rewriter out(ptx);
  bool defined = false;
  Lexer words(ptx);
  for (auto word = words.word(); !word.empty(); word = words.word()) {
    if (word == kPrint) {
      out.replace(at(word), at(word) + word.size(), kCount);
      continue;
    }
    if (word != ".extern") continue;
    const std::size_t begin = at(word);
    bool prints = false;
    for (word = words.word(); !word.empty() && word != ";" && word != "{"; word = words.word())
      prints = prints || word == kPrint;
    if (!prints || word != ";") continue;
    out.replace(begin, at(word) + 1, defined ? std::string_view() : kDefinition);
    defined = true;
  }
  if (!defined) return std::nullopt;
  return std::move(out).finish();
}

}  // namespace warpwright::ptx
