// SPDX-License-Identifier: Apache-2.0
#include "port/translate.h"

#include <algorithm>

#include "base/embedded.h"
#include "port/hazards.h"
#include "port/inline_ptx.h"
#include "port/source_text.h"

namespace warpwright {
std::span<const EmbeddedFile> port_headers();
}  // namespace warpwright

namespace warpwright::port {

namespace {

constexpr std::string_view kHipHeader = "warpwright_hip.h";
constexpr std::string_view kCudaHeader = "warpwright_cuda.h";

bool marks_platform(std::string_view word) {
  for (const std::string_view mark :
       {"__global__",  "__device__", "__shared__",    "__constant__",    "threadIdx", "blockIdx",
        "dim3",        "__host__",   "__syncthreads", "float4",          "float2",    "float3",
        "int2",        "int4",       "uint4",         "__forceinline__", "double2",   "uchar4",
        "__managed__", "half",       "__half"})
    if (word == mark) return true;
  return false;
}

bool is_vector_type(std::string_view word);

class Translator {
 public:
  Translator(std::string_view text, const TranslateOptions& options)
      : options_(options), source_(text), to_hip_(options.direction == Direction::to_hip) {}

  Translation run() {
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (i < skip_to_) continue;
      if (source_.token(i).kind == TokenKind::header_name) {
        include(i);
      } else if (source_.word(i)) {
        word(i);
      } else if (source_.triple(i, "<<<") && source_.in_kernel(i)) {
        unmapped(i, "a kernel that launches a kernel: HIP has none; launch from the host");
        skip_to_ = i + 3;
      }
    }
    if (to_hip_) list_half_members();
    add_header();
    Translation result;
    result.findings.unmapped = std::move(unmapped_);
    result.findings.hazards = find_hazards(source_, options_.direction);
    result.text = edited(source_.raw(), std::move(edits_));
    return result;
  }

 private:
  void unmapped(std::size_t i, std::string advice, std::string library = {}) {
    Unmapped row;
    row.line = source_.line(i);
    row.text = source_.line_text(i);
    row.advice = std::move(advice);
    row.library = std::move(library);
    for (const Unmapped& one : unmapped_)
      if (one.line == row.line && one.advice == row.advice) return;
    unmapped_.push_back(std::move(row));
  }

  void replace(std::size_t i, std::string text) {
    edits_.push_back({source_.token(i).begin, source_.token(i).end, std::move(text)});
    platform_ = true;
  }

  /// HIP's vectors have operators of their own, and more types have atomics: a second function of
  /// the same kind would be ambiguous or defined twice. As a template it gives way to HIP's.
  void own_function(std::size_t i) {
    std::size_t open = i + 1;
    if (source_.is(i, "operator")) {
      while (open < source_.size() && !source_.is(open, "(")) ++open;
      const std::string_view sign = source_.at(i + 1);
      if (open != i + 3 || !source_.is(i + 2, "=") || sign.size() != 1 || !same_vectors(open))
        return;
    }
    const std::size_t close = source_.closing(open);
    const bool definition = source_.is(open, "(") && source_.is(close + 1, "{");
    const bool typed = i > 0 && (source_.word(i - 1) || source_.is(i - 1, "&"));
    if (!definition || !typed || source_.on_device(i)) return;
    std::size_t first = i;
    while (first > 0 && !source_.is(first - 1, ";") && !source_.is(first - 1, "}") &&
           !source_.is(first - 1, "{") && !source_.token(first - 1).directive &&
           !source_.is(first - 1, ":"))
      --first;
    if (source_.is(first, "template") || source_.is(first, "friend")) return;
    edits_.push_back(
        {source_.token(first).begin, source_.token(first).begin, "template <int = 0> "});
  }

  /// The parameters (T& a, T b) of one vector type T.
  [[nodiscard]] bool same_vectors(std::size_t open) const {
    std::vector<std::string_view> types;
    const std::size_t close = source_.closing(open);
    for (std::size_t k = open + 1; k < close && k < source_.size(); ++k)
      if (is_vector_type(source_.at(k))) types.push_back(source_.at(k));
    return types.size() == 2 && types[0] == types[1];
  }

  /// `register` means nothing in C++, and C++17 forbids it.
  void drop(std::size_t i) {
    edits_.push_back({source_.token(i).begin, source_.token(i + 1).begin, ""});
  }

  void include(std::size_t i) {
    const std::string_view marked = source_.at(i);
    const std::string_view name = marked.substr(1, marked.size() - 2);
    const bool quoted = marked.front() == '"';
    if (options_.project_header) {
      if (const auto to = options_.project_header(name, quoted)) {
        if (*to != name) replace(i, marked.front() + *to + marked.back());
        return;
      }
    }
    if (!to_hip_ && name.ends_with(kHipHeader))
      return replace(i, '"' + options_.headers_at + std::string(kCudaHeader) + '"');
    if (name == "mma.h") return unmapped(i, "tensor cores: HIP has rocWMMA, with other fragments");
    const std::size_t slash = name.rfind('/');
    const bool ours = name.substr(slash + 1).starts_with("warpwright_hip");
    const NameChange change =
        change_header(ours ? name.substr(slash + 1) : name, options_.direction);
    if (change.fate == NameFate::foreign) return;
    platform_ = true;
    if (change.fate == NameFate::library)
      unmapped(i,
               to_hip_ ? "needs the library " + std::string(change.advice) : "needs CUDA's library",
               std::string(change.advice));
    if (change.to.starts_with("warpwright")) {
      replace(i, '"' + options_.headers_at + change.to + '"');
    } else if (change.to != name) {
      replace(i, '<' + change.to + '>');
    }
  }

  /// HIP 5 has the bits of a half number in the members of __half2, where CUDA has the number: code
  /// that reads them compiles and computes something else.
  void list_half_members() {
    std::set<std::string_view> variables;
    for (std::size_t i = 0; i + 1 < source_.size(); ++i) {
      if (!source_.is(i, "half2") && !source_.is(i, "__half2")) continue;
      std::size_t name = i + 1;
      while (source_.is(name, "*") || source_.is(name, "&") || source_.is(name, "const") ||
             source_.is(name, "__restrict__"))
        ++name;
      if (source_.word(name)) variables.insert(source_.at(name));
    }
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (!source_.word(i) || variables.count(source_.at(i)) == 0 || member(i)) continue;
      std::size_t next = i + 1;
      if (source_.is(next, "[")) next = source_.closing(next) + 1;
      if (source_.is(next, ".") && (source_.is(next + 1, "x") || source_.is(next + 1, "y")))
        unmapped(i,
                 "the members of __half2 are bits in HIP 5, not numbers: use __low2half, "
                 "__high2half and __halves2half2");
    }
  }

  /// Names after '.' and '->' belong to a class.
  [[nodiscard]] bool member(std::size_t i) const {
    if (i == 0) return false;
    if (source_.is(i - 1, ".")) return true;
    return i > 1 && source_.is(i - 1, ">") && source_.is(i - 2, "-") && source_.touches_next(i - 2);
  }

  void word(std::size_t i) {
    const std::string_view name = source_.at(i);
    if (member(i) || options_.own_names.count(name) > 0) return;
    if (marks_platform(name)) platform_ = true;
    if (name == "asm" || name == "__asm__" || name == "__asm") return assembly(i);
    if (to_hip_ && (name == "operator" || name.starts_with("atomic"))) own_function(i);
    if (name == "register" && to_hip_ && source_.word(i + 1)) return drop(i);
    if (name == "cub" && to_hip_ && source_.is(i + 1, ":")) return replace(i, "hipcub");
    if (name == "hipcub" && !to_hip_ && source_.is(i + 1, ":")) return replace(i, "cub");
    if (to_hip_ && name == "texture" && source_.is(i + 1, "<"))
      return unmapped(i,
                      "texture references are gone from CUDA and fading from HIP: use a texture "
                      "object");
    if (to_hip_ && (name == "wmma" || name == "nvcuda"))
      return unmapped(i, "tensor cores: HIP has rocWMMA, with other fragments");
    if (!to_hip_ && from_hip_only(i, name)) return;
    const NameChange change = change_name(name, options_.direction);
    switch (change.fate) {
      case NameFate::foreign:
        return;
      case NameFate::unmapped:
        platform_ = true;
        return unmapped(i, std::string(name) + ": " + std::string(change.advice));
      case NameFate::library:
      case NameFate::mapped:
        platform_ = true;
        if (change.to != name) replace(i, change.to);
        return;
    }
  }

  void assembly(std::size_t i) {
    if (!to_hip_) return;
    const auto statement = assembly_at(source_, i);
    if (!statement) return;
    skip_to_ = statement->end;
    if (!is_ptx(statement->code)) return;
    const auto cpp = ptx_in_cpp(*statement);
    if (!cpp) return unmapped(i, "inline PTX without a rule: write it in C++");
    edits_.push_back({source_.token(i).begin, source_.token(statement->end - 1).end,
                      translated_expression(*cpp)});
    platform_ = true;
  }

  /// Operands of an assembly statement are expressions with names of their own.
  [[nodiscard]] std::string translated_expression(const std::string& text) const {
    const SourceText inner(text);
    std::vector<Edit> edits;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (!inner.word(i)) continue;
      const NameChange change = change_name(inner.at(i), options_.direction);
      if (change.fate == NameFate::mapped)
        edits.push_back({inner.token(i).begin, inner.token(i).end, change.to});
    }
    return edited(text, std::move(edits));
  }

  /// Forms that only HIP has. True where it was one.
  bool from_hip_only(std::size_t i, std::string_view name) {
    if (name == "hipLaunchKernelGGL") return launch(i);
    if (name == "HIP_DYNAMIC_SHARED") return dynamic_shared(i);
    if (name == "HIP_KERNEL_NAME" || name == "HIP_SYMBOL") {
      replace(i, "");
      return true;
    }
    for (const std::string_view prefix :
         {"hipThreadIdx_", "hipBlockIdx_", "hipBlockDim_", "hipGridDim_"})
      if (name.starts_with(prefix) && name.size() == prefix.size() + 1) {
        std::string to(name.substr(3, prefix.size() - 4));
        to[0] = static_cast<char>(to[0] | 32);
        replace(i, to + "." + std::string(name.substr(prefix.size())));
        return true;
      }
    return old_warp_function(i, name);
  }

  /// __shfl(v, l): CUDA wants to know who takes part.
  bool old_warp_function(std::size_t i, std::string_view name) {
    for (const std::string_view old :
         {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"}) {
      const bool ours = name.starts_with("ww_") && name.substr(3) == old.substr(2);
      if ((name != old && !ours) || !source_.is(i + 1, "(")) continue;
      replace(i, std::string(old) + "_sync");
      edits_.push_back({source_.token(i + 1).begin, source_.token(i + 1).end, "(__activemask(), "});
      return true;
    }
    return false;
  }

  /// hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) is kernel<<<...>>>(...).
  bool launch(std::size_t i) {
    const auto begins = source_.arguments(i + 1);
    if (begins.size() < 6) {
      unmapped(i, "a launch whose arguments are not all in one place: write kernel<<<...>>>(...)");
      return true;
    }
    replace(i, "");
    const auto comma = [&](std::size_t argument) { return begins[argument] - 1; };
    replace(i + 1, "");
    replace(comma(1), "<<<");
    if (begins.size() == 6) {
      replace(begins[5], ">>>()");
    } else {
      replace(comma(5), ">>>(");
    }
    return true;
  }

  bool dynamic_shared(std::size_t i) {
    const auto begins = source_.arguments(i + 1);
    if (begins.size() != 3) return false;
    replace(i, "extern __shared__ ");
    replace(i + 1, "");
    replace(begins[1] - 1, "");
    replace(begins[2], "[];");
    return true;
  }

  /// Before the first line that is code. nvcc includes the runtime by itself, other compilers do
  /// not.
  void add_header() {
    if (!to_hip_ || source_.size() == 0 || !(platform_ || options_.unit)) return;
    const std::size_t first = source_.token(0).begin;
    const std::size_t before = source_.raw().substr(0, first).rfind('\n');
    const std::size_t at = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view lead = source_.raw().substr(at, first - at);
    // A comment before code on the same line may have begun earlier.
    const std::size_t place = lead.find_first_not_of(" \t") == std::string_view::npos ? at : first;
    edits_.insert(
        edits_.begin(),
        {place, place, "#include \"" + options_.headers_at + std::string(kHipHeader) + "\"\n"});
  }

  const TranslateOptions& options_;
  SourceText source_;
  bool to_hip_;
  bool platform_ = false;
  std::size_t skip_to_ = 0;
  std::vector<Edit> edits_;
  std::vector<Unmapped> unmapped_;
};

/// float4 and its like.
bool is_vector_type(std::string_view word) {
  if (word.size() < 4 || word.back() < '1' || word.back() > '4') return false;
  const std::string_view element = word.substr(0, word.size() - 1);
  for (const std::string_view name : {"char", "uchar", "short", "ushort", "int", "uint", "long",
                                      "ulong", "longlong", "ulonglong", "float", "double"})
    if (element == name) return true;
  return false;
}

bool is_type_like(std::string_view word) {
  for (const std::string_view type :
       {"int", "unsigned", "size_t", "uint", "uint32_t", "short", "auto", "int32_t", "char", "long",
        "uint8_t", "constexpr", "const"})
    if (word == type) return true;
  return false;
}

}  // namespace

Translation translate(std::string_view source, const TranslateOptions& options) {
  return Translator(source, options).run();
}

std::set<std::string, std::less<>> own_names_of(std::string_view text) {
  std::set<std::string, std::less<>> names;
  const SourceText source(text);
  for (std::size_t i = 1; i < source.size(); ++i) {
    if (!source.word(i)) continue;
    const bool is_macro = i > 1 && source.is(i - 1, "define") && source.is(i - 2, "#");
    const bool is_width = source.is(i, "warpSize") && is_type_like(source.at(i - 1));
    if (is_macro || is_width) names.emplace(source.at(i));
  }
  return names;
}

std::vector<CompatibilityFile> compatibility_files(Direction direction) {
  const std::string_view start =
      direction == Direction::to_hip ? "warpwright_hip" : "warpwright_cuda";
  std::vector<CompatibilityFile> files;
  for (const EmbeddedFile& file : port_headers()) {
    const std::string_view name = file.path.substr(file.path.rfind('/') + 1);
    if (name.starts_with(start) || name == "warpwright_ptx.h")
      files.push_back({std::string(name), std::string(file.content)});
  }
  return files;
}

}  // namespace warpwright::port
