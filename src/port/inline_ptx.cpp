// SPDX-License-Identifier: Apache-2.0
#include "port/inline_ptx.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "port/ptx_operations.h"

namespace warpwright::port {

namespace {

using Words = std::vector<std::string>;

std::string unescaped(std::string_view literal) {
  std::string text;
  const std::size_t open = literal.find('"');
  if (open == std::string_view::npos) return text;
  const std::size_t close =
      literal.size() > open + 1 && literal.back() == '"' ? literal.size() - 1 : literal.size();
  for (std::size_t i = open + 1; i < close; ++i) {
    if (literal[i] != '\\' || i + 1 >= close) {
      text += literal[i];
      continue;
    }
    ++i;
    text += literal[i] == 'n' ? '\n' : literal[i] == 't' ? ' ' : literal[i];
  }
  return text;
}

/// The section of operands "c"(expression), ... between tokens; false where it is none.
bool read_operands(const SourceText& source, std::size_t from, std::size_t to, Words& operands) {
  std::size_t i = from;
  while (i < to) {
    if (source.is(i, "[")) i = source.closing(i) + 1;  // a symbolic name
    if (i >= to || source.token(i).kind != TokenKind::string || !source.is(i + 1, "("))
      return false;
    const std::size_t close = source.closing(i + 1);
    if (close >= to) return false;
    operands.emplace_back(source.between(i + 2, close));
    i = close + 1;
    if (i < to && !source.is(i, ",")) return false;
    ++i;
  }
  return true;
}

/// The tokens ':' at the top level of the statement; '::' counts as two.
std::vector<std::size_t> sections(const SourceText& source, std::size_t open, std::size_t close) {
  std::vector<std::size_t> marks;
  int depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (source.is(i, "(") || source.is(i, "[")) ++depth;
    if (source.is(i, ")") || source.is(i, "]")) --depth;
    if (depth == 0 && source.is(i, ":")) marks.push_back(i);
  }
  return marks;
}

struct Special {
  std::string_view name;
  std::string_view cpp;
};

constexpr Special kSpecials[] = {
    {"laneid", "ww_lane_id()"},
    {"lanemask_lt", "ww_lanemask_lt()"},
    {"lanemask_le", "ww_lanemask_le()"},
    {"lanemask_gt", "ww_lanemask_gt()"},
    {"lanemask_ge", "ww_lanemask_ge()"},
    {"lanemask_eq", "ww_lanemask_eq()"},
    {"warpid", "ww_warp_id()"},
    {"smid", "ww_sm_id()"},
    {"clock", "(unsigned)clock64()"},
    {"clock64", "clock64()"},
    {"globaltimer", "ww_global_timer()"},
    {"tid.x", "threadIdx.x"},
    {"tid.y", "threadIdx.y"},
    {"tid.z", "threadIdx.z"},
    {"ntid.x", "blockDim.x"},
    {"ntid.y", "blockDim.y"},
    {"ntid.z", "blockDim.z"},
    {"ctaid.x", "blockIdx.x"},
    {"ctaid.y", "blockIdx.y"},
    {"ctaid.z", "blockIdx.z"},
    {"nctaid.x", "gridDim.x"},
    {"nctaid.y", "gridDim.y"},
    {"nctaid.z", "gridDim.z"},
    {"WARP_SZ", "32u"},
};

/// Halves in inline assembly are bits of a C++ type that the source chose: there is no rule for
/// them.
std::string_view cpp_type(std::string_view ptx) {
  return ptx.starts_with("f16") ? std::string_view() : cpp_type_of(ptx);
}

/// What the operands $1, $2, ... make; $T is the type's name in C++.
struct OperationRow {
  std::string_view mnemonic;  ///< without types and without what changes only the rounding
  std::size_t sources;
  std::string_view cpp;
};

constexpr OperationRow kOperations[] = {
    {"mov", 1, "$1"},
    {"cvt", 1, "$1"},
    {"cvta.to.global", 1, "$1"},
    {"cvta.to.shared", 1, "$1"},
    {"cvta.global", 1, "$1"},
    {"add", 2, "$1 + $2"},
    {"sub", 2, "$1 - $2"},
    {"mul.lo", 2, "$1 * $2"},
    {"mul", 2, "$1 * $2"},
    {"mul.hi", 2, "ww_mul_hi($1, $2)"},
    {"mul.wide", 2, "ww_mul_wide($1, $2)"},
    {"mul24.lo", 2, "ww_low24($1) * ww_low24($2)"},
    {"mad.lo", 3, "$1 * $2 + $3"},
    {"mad.hi", 3, "ww_mul_hi($1, $2) + $3"},
    {"mad.wide", 3, "ww_mul_wide($1, $2) + $3"},
    {"mad", 3, "ww_fma($1, $2, $3)"},
    {"fma", 3, "ww_fma($1, $2, $3)"},
    {"div", 2, "$1 / $2"},
    {"div.full", 2, "$1 / $2"},
    {"rem", 2, "$1 % $2"},
    {"min", 2, "ww_min($1, $2)"},
    {"max", 2, "ww_max($1, $2)"},
    {"and", 2, "$1 & $2"},
    {"or", 2, "$1 | $2"},
    {"xor", 2, "$1 ^ $2"},
    {"not", 1, "~$1"},
    {"cnot", 1, "$1 == 0"},
    {"neg", 1, "-$1"},
    {"abs", 1, "ww_abs($1)"},
    {"shl", 2, "ww_shl($1, $2)"},
    {"shr", 2, "ww_shr($1, $2)"},
    {"shf.l.wrap", 3, "ww_shf_l($1, $2, $3)"},
    {"shf.r.wrap", 3, "ww_shf_r($1, $2, $3)"},
    {"popc", 1, "ww_popc($1)"},
    {"clz", 1, "ww_clz($1)"},
    {"brev", 1, "ww_brev($1)"},
    {"bfind", 1, "ww_bfind($1)"},
    {"bfe", 3, "ww_bfe($1, $2, $3)"},
    {"bfi", 4, "ww_bfi($1, $2, $3, $4)"},
    {"prmt", 3, "ww_prmt($1, $2, $3)"},
    {"lop3", 4, "ww_lop3($1, $2, $3, $4)"},
    {"sad", 3, "ww_max($1, $2) - ww_min($1, $2) + $3"},
    {"selp", 3, "$3 ? $1 : $2"},
    {"dp4a", 3, "ww_dp4a($1, $2, $3)"},
    {"rcp", 1, "$T(1) / $1"},
    {"sqrt", 1, "ww_sqrt($1)"},
    {"rsqrt", 1, "$T(1) / ww_sqrt($1)"},
    {"sin", 1, "__sinf($1)"},
    {"cos", 1, "__cosf($1)"},
    {"tanh", 1, "tanhf($1)"},
    {"ex2", 1, "exp2f($1)"},
    {"lg2", 1, "__log2f($1)"},
    {"copysign", 2, "ww_copysign($2, $1)"},
    {"vshr.clamp.add", 3, "ww_shr($1, $2) + $3"},
    {"vshl.clamp.add", 3, "ww_shl($1, $2) + $3"},
};

/// Whole instructions without a result.
constexpr Special kPlain[] = {
    {"bar.sync 0", "__syncthreads()"},
    {"barrier.sync 0", "__syncthreads()"},
    {"bar.warp.sync 0xffffffff", "ww_syncwarp()"},
    {"membar.gl", "__threadfence()"},
    {"membar.cta", "__threadfence_block()"},
    {"membar.sys", "__threadfence_system()"},
    {"fence.acq_rel.gpu", "__threadfence()"},
    {"fence.acq_rel.cta", "__threadfence_block()"},
    {"fence.acq_rel.sys", "__threadfence_system()"},
    {"trap", "__builtin_trap()"},
    {"brkpt", "__builtin_trap()"},
};

/// Qualifiers that change caching, rounding of approximations or nothing at all.
bool is_hint(std::string_view word) {
  for (const std::string_view hint : {"rn",
                                      "ftz",
                                      "approx",
                                      "sat",
                                      "full",
                                      "uni",
                                      "ca",
                                      "cg",
                                      "cs",
                                      "lu",
                                      "cv",
                                      "wb",
                                      "wt",
                                      "nc",
                                      "volatile",
                                      "relaxed",
                                      "acquire",
                                      "release",
                                      "gpu",
                                      "cta",
                                      "sys",
                                      "noftz",
                                      "L1::no_allocate",
                                      "L1::evict_last",
                                      "L2::128B",
                                      "L2::256B",
                                      "L2::64B",
                                      "aligned"})
    if (word == hint) return true;
  return false;
}

Words split(std::string_view text, char mark) {
  Words parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == mark && depth == 0) {
      parts.emplace_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.emplace_back(trimmed(part));
  return parts;
}

class PtxWriter {
 public:
  explicit PtxWriter(const AssemblyStatement& statement) : statement_(statement) {}

  std::optional<std::string> run() {
    std::string code = statement_.code;
    strip_braces(code);
    for (const std::string& instruction : split(without_comments(code), ';'))
      if (!instruction.empty() && !write(instruction)) return std::nullopt;
    if (text_.empty()) return std::nullopt;
    return "do { " + text_ + "} while (0)";
  }

 private:
  /// The braces of a scope around all of the code.
  static void strip_braces(std::string& code) {
    std::string_view inner = trimmed(code);
    if (inner.size() < 2 || inner.front() != '{') return;
    if (inner.back() == ';') inner = trimmed(inner.substr(0, inner.size() - 1));
    if (inner.back() != '}') return;
    code = std::string(inner.substr(1, inner.size() - 2));
  }

  static std::string without_comments(std::string_view code) {
    std::string text;
    for (const std::string_view line : lines_of(code)) {
      text += line.substr(0, line.find("//"));
      text += ' ';
    }
    return text;
  }

  bool write(std::string_view instruction) {
    std::string guard;
    if (instruction.front() == '@') {
      const std::size_t end = instruction.find_first_of(" \t");
      if (end == std::string_view::npos) return false;
      const bool inverted = instruction[1] == '!';
      const auto predicate =
          operand(instruction.substr(inverted ? 2 : 1, end - (inverted ? 2 : 1)));
      if (!predicate) return false;
      guard = std::string("if (") + (inverted ? "!" : "") + *predicate + ") ";
      instruction = trimmed(instruction.substr(end));
    }
    for (const Special& row : kPlain)
      if (row.name == instruction) return emit(guard + std::string(row.cpp));
    const std::size_t end = std::min(instruction.find_first_of(" \t\n"), instruction.size());
    const std::string_view head = instruction.substr(0, end);
    const Words operands = split(instruction.substr(end), ',');
    if (head == ".reg") return declare(instruction.substr(end));
    Words words = split(head, '.');
    if (words.empty()) return false;
    if (words[0] == "prefetch" || words[0] == "nanosleep") return emit("(void)0");
    if (words[0] == "ld" || words[0] == "st" || words[0] == "ldu")
      return access(words, operands, guard);
    if (words[0] == "red" || words[0] == "atom") return atomic(words, operands, guard);
    if (words[0] == "setp") return compare(words, operands, guard);
    return compute(words, operands, guard);
  }

  bool emit(const std::string& text) {
    text_ += text + "; ";
    return true;
  }

  /// .reg .u32 a, b
  bool declare(std::string_view rest) {
    rest = trimmed(rest);
    const std::size_t end = rest.find_first_of(" \t");
    if (rest.empty() || rest[0] != '.' || end == std::string_view::npos) return false;
    const std::string_view type = cpp_type(rest.substr(1, end - 1));
    if (type.empty()) return false;
    for (const std::string& name : split(rest.substr(end), ',')) {
      if (name.empty() || name.find('<') != std::string::npos) return false;
      const std::string variable = "ww_" + plain_name(name);
      registers_[name] = variable;
      emit(std::string(type) + " " + variable);
    }
    return true;
  }

  static std::string plain_name(std::string_view name) {
    std::string result;
    for (const char c : name) result += is_word_part(c) && c != '$' ? c : '_';
    return result;
  }

  /// An operand in C++: %0, a special register, a declared one, a number.
  [[nodiscard]] std::optional<std::string> operand(std::string_view text) const {
    text = trimmed(text);
    if (const auto found = registers_.find(std::string(text)); found != registers_.end())
      return found->second;
    if (text.empty()) return std::nullopt;
    if (text[0] == '%') {
      const std::string_view name = text.substr(text.starts_with("%%") ? 2 : 1);
      if (const auto found = registers_.find(std::string(name)); found != registers_.end())
        return found->second;
      if (!name.empty() && name[0] >= '0' && name[0] <= '9') {
        const std::size_t index = static_cast<std::size_t>(std::atoi(std::string(name).c_str()));
        if (index >= statement_.operands.size()) return std::nullopt;
        return "(" + statement_.operands[index] + ")";
      }
      for (const Special& row : kSpecials)
        if (row.name == name) return std::string(row.cpp);
      return std::nullopt;
    }
    if (text == "WARP_SZ") return "32u";
    if (text.starts_with("0f") || text.starts_with("0F"))
      return "ww_as<float>(0x" + std::string(text.substr(2)) + "u)";
    if ((text[0] >= '0' && text[0] <= '9') || text[0] == '-') return std::string(text);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> typed(std::string_view text,
                                                 std::string_view type) const {
    const auto value = operand(text);
    if (!value) return std::nullopt;
    return "ww_as<" + std::string(type) + ">(" + *value + ")";
  }

  bool compute(Words words, const Words& operands, const std::string& guard) {
    Words types;
    std::string mnemonic = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (!cpp_type(words[i]).empty()) {
        types.push_back(words[i]);
      } else if (!is_hint(words[i])) {
        mnemonic += "." + words[i];
      }
    }
    if (types.empty() || operands.empty()) return false;
    const bool convert = words[0] == "cvt";
    for (const std::string& word : words)
      if (convert &&
          (word == "rz" || word == "rni" || word == "rzi" || word == "rmi" || word == "rpi"))
        return false;
    for (const OperationRow& row : kOperations) {
      if (row.mnemonic != mnemonic || operands.size() != row.sources + 1) continue;
      const std::string_view type = cpp_type(convert ? types.back() : types.front());
      const auto value = filled(row.cpp, operands, type);
      const auto target = operand(operands[0]);
      if (!value || !target) return false;
      const std::string result =
          convert ? "ww_as<" + std::string(cpp_type(types.front())) + ">(" + *value + ")" : *value;
      return emit(guard + "ww_set(" + *target + ", " + result + ")");
    }
    return false;
  }

  [[nodiscard]] std::optional<std::string> filled(std::string_view form, const Words& operands,
                                                  std::string_view type) const {
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] != '$') {
        text += form[i];
        continue;
      }
      ++i;
      if (form[i] == 'T') {
        text += type;
        continue;
      }
      const std::string& source = operands[static_cast<std::size_t>(form[i] - '0')];
      const auto predicate = operand(source);
      const bool plain = predicate && registers_.count(source) > 0 && form.find('?') != form.npos &&
                         form[i] == '3';
      const auto value = plain ? predicate : typed(source, type);
      if (!value) return std::nullopt;
      text += *value;
    }
    return text;
  }

  bool compare(const Words& words, const Words& operands, const std::string& guard) {
    constexpr Special kRelations[] = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="},
                                      {"gt", ">"},  {"ge", ">="}, {"lo", "<"}, {"ls", "<="},
                                      {"hi", ">"},  {"hs", ">="}};
    if (words.size() < 3 || operands.size() != 3) return false;
    const std::string_view type = cpp_type(words.back());
    const auto target = operand(operands[0]);
    const auto left = typed(operands[1], type);
    const auto right = typed(operands[2], type);
    if (type.empty() || !target || !left || !right) return false;
    for (const Special& row : kRelations)
      if (row.name == words[1])
        return emit(guard + *target + " = " + *left + " " + std::string(row.cpp) + " " + *right);
    return false;
  }

  /// [%0], [%1+16] as an address.
  [[nodiscard]] std::optional<std::string> address(std::string_view text) const {
    text = trimmed(text);
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
    text = trimmed(text.substr(1, text.size() - 2));
    const std::size_t plus = text.find('+');
    const auto base = operand(text.substr(0, plus));
    if (!base) return std::nullopt;
    std::string result = "(unsigned long long)(" + *base + ")";
    if (plus != std::string_view::npos) {
      const auto offset = operand(text.substr(plus + 1));
      if (!offset) return std::nullopt;
      result += " + " + *offset;
    }
    return result;
  }

  bool access(const Words& words, const Words& operands, const std::string& guard) {
    // A shared or constant address is a number of another space here: no rule.
    std::size_t lanes = 1;
    bool is_volatile = false;
    for (const std::string& word : words) {
      if (word == "shared" || word == "const" || word == "param" || word == "local") return false;
      if (word == "v2" || word == "v4") lanes = word == "v2" ? 2 : 4;
      is_volatile = is_volatile || word == "volatile" || word == "relaxed" || word == "acquire" ||
                    word == "release" || word == "cv";
    }
    const std::string_view type = cpp_type(words.back());
    if (type.empty() || operands.size() != 2) return false;
    const bool load = words[0] != "st";
    const auto where = address(operands[load ? 0 + 1 : 0]);
    Words values = {operands[load ? 0 : 1]};
    if (lanes > 1) {
      const std::string_view list = trimmed(values[0]);
      if (list.size() < 2 || list.front() != '{') return false;
      values = split(list.substr(1, list.size() - 2), ',');
    }
    if (!where || values.size() != lanes) return false;
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto value = operand(values[i]);
      if (!value) return false;
      const std::string place = std::string("((") + (is_volatile ? "volatile " : "") +
                                std::string(type) + "*)(" + *where + "))[" + std::to_string(i) +
                                "]";
      emit(guard + (load ? "ww_set(" + *value + ", " + place + ")"
                         : place + " = ww_as<" + std::string(type) + ">(" + *value + ")"));
    }
    return true;
  }

  bool atomic(const Words& words, const Words& operands, const std::string& guard) {
    constexpr Special kFunctions[] = {
        {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"},  {"and", "atomicAnd"},
        {"or", "atomicOr"},   {"xor", "atomicXor"}, {"exch", "atomicExch"}};
    const bool returns = words[0] == "atom";
    const std::string_view type = cpp_type(words.back());
    if (type.empty() || operands.size() != (returns ? 3U : 2U)) return false;
    const auto where = address(operands[returns ? 1 : 0]);
    const auto value = typed(operands[returns ? 2 : 1], type);
    if (!where || !value) return false;
    for (const Special& row : kFunctions) {
      if (std::find(words.begin(), words.end(), row.name) == words.end()) continue;
      const std::string call =
          std::string(row.cpp) + "((" + std::string(type) + "*)(" + *where + "), " + *value + ")";
      if (!returns) return emit(guard + call);
      const auto target = operand(operands[0]);
      return target && emit(guard + "ww_set(" + *target + ", " + call + ")");
    }
    return false;
  }

  const AssemblyStatement& statement_;
  std::map<std::string, std::string> registers_;
  std::string text_;
};

}  // namespace

std::optional<AssemblyStatement> assembly_at(const SourceText& source, std::size_t i) {
  AssemblyStatement statement;
  statement.begin = i;
  std::size_t open = i + 1;
  while (source.is(open, "volatile") || source.is(open, "__volatile__")) ++open;
  const std::size_t close = source.closing(open);
  if (!source.is(open, "(") || close == source.size()) return std::nullopt;
  statement.end = close + 1;
  std::size_t at = open + 1;
  while (at < close && source.token(at).kind == TokenKind::string)
    statement.code += unescaped(source.at(at++));
  if (at == open + 1) return std::nullopt;
  const auto marks = sections(source, open, close);
  if (marks.empty() != (at == close) || (!marks.empty() && marks[0] != at)) return std::nullopt;
  if (!marks.empty()) {
    const std::size_t end = marks.size() > 1 ? marks[1] : close;
    if (!read_operands(source, marks[0] + 1, end, statement.operands)) return std::nullopt;
    statement.outputs = statement.operands.size();
  }
  if (marks.size() > 1) {
    const std::size_t end = marks.size() > 2 ? marks[2] : close;
    if (!read_operands(source, marks[1] + 1, end, statement.operands)) return std::nullopt;
  }
  return statement;
}

bool is_ptx(std::string_view code) {
  constexpr std::string_view kTypesSeen[] = {".u32", ".s32",  ".b32", ".u64",  ".s64", ".b64",
                                             ".f32", ".f64",  ".f16", ".bf16", ".b16", ".u16",
                                             ".s16", ".pred", ".u8",  ".b8"};
  for (const std::string_view type : kTypesSeen)
    if (code.find(type) != std::string_view::npos) return true;
  for (const Special& row : kPlain)
    if (trimmed(code).starts_with(row.name)) return true;
  for (const std::string_view start :
       {"bar.", "membar", "fence.", "cp.async", "prefetch", "griddep", "nanosleep", "exit",
        "mbarrier", "setmaxnreg", "discard"})
    if (trimmed(code).starts_with(start)) return true;
  return false;
}

std::optional<std::string> ptx_in_cpp(const AssemblyStatement& statement) {
  return PtxWriter(statement).run();
}

}  // namespace warpwright::port
