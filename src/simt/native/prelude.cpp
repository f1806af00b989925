// SPDX-License-Identifier: Apache-2.0
// What every compiled kernel starts with: texts of ours that travel inside the program, and where
// things lie in the interpreter's own structures.
#include <fmt/format.h>

#include <cstddef>

#include "base/assert.h"
#include "base/embedded.h"
#include "simt/native/native.h"

namespace warpwright {

std::span<const EmbeddedFile> native_prelude_files();

}  // namespace warpwright

namespace warpwright::simt {
namespace {

std::string_view text_of(std::string_view path) {
  for (const EmbeddedFile& file : native_prelude_files())
    if (file.path == path) return file.content;
  ASSERT(false, path);
  return {};
}

/// A field of a structure as C declares it, where C++ has put it.
struct Field {
  std::string_view declaration;
  std::size_t offset, bytes;
};
// NOLINTBEGIN(bugprone-sizeof-expression): the size of a pointer is what is meant.
#define FIELD(type, name, declaration) \
  Field { declaration, offsetof(type, name), sizeof(type::name) }

/// A structure that has these fields where they are.
std::string structure(std::string_view name, std::size_t size,
                      std::initializer_list<Field> fields) {
  std::string text = fmt::format("struct {} {{\n", name);
  std::size_t at = 0;
  for (const Field& f : fields) {
    ASSERT(f.offset >= at, "fields in their order");
    if (f.offset > at) text += fmt::format("  char before_{}[{}];\n", f.offset, f.offset - at);
    text += fmt::format("  {};\n", f.declaration);
    at = f.offset + f.bytes;
  }
  if (size > at) text += fmt::format("  char rest[{}];\n", size - at);
  return text + fmt::format("}};\n_Static_assert(sizeof(struct {}) == {}, \"\");\n", name, size);
}

std::string structures() {
  std::string t;
  for (const std::string_view name :
       {"Ins", "BlockCount", "NativeState", "Warp", "SharedRead", "SharedShadow"})
    t += fmt::format("typedef struct {0} {0};\n", name);
  t += structure("BlockCount", sizeof(BlockCount),
                 {FIELD(BlockCount, warps, "u64 warps"), FIELD(BlockCount, lanes, "u64 lanes")});
  t += structure(
      "NativeState", sizeof(NativeState),
      {FIELD(NativeState, slow, "const Ins* (*slow)(Warp*, u32)"),
       FIELD(NativeState, out_of_fuel, "const Ins* (*out_of_fuel)(Warp*, u32)"),
       FIELD(NativeState, check, "void (*check)(Warp*, u32 id, u64 at, u64 span)"),
       FIELD(
           NativeState, check_global,
           "void (*check_global)(Warp*, const char* memo, u32 id, u64 at, u32 span, u32 bytes, u32 "
           "writes)"),
       FIELD(NativeState, check_strided, "void (*check_strided)(Warp*, u32 id, u64 at, u64 step)"),
       FIELD(NativeState, loads_clean,
             "u32 (*loads_clean)(Warp*, u32 id, u64 at, u64 span, u32 uniform)"),
       FIELD(NativeState, one, "void (*one)(Warp*, u32)"),
       FIELD(NativeState, exit, "const Ins* (*exit)(Warp*)"),
       FIELD(NativeState, code, "const char* code"), FIELD(NativeState, memos, "char* memos"),
       FIELD(NativeState, stats, "char* stats"), FIELD(NativeState, hits, "u64* hits"),
       FIELD(NativeState, arena, "char* arena"), FIELD(NativeState, touched, "u8* touched[2]"),
       FIELD(NativeState, valid, "u8* valid"), FIELD(NativeState, race_lines, "u64* race_lines"),
       FIELD(NativeState, many_threads, "u64 many_threads")});
  t += structure("SharedRead", sizeof(SharedRead),
                 {FIELD(SharedRead, first, "u32 first"), FIELD(SharedRead, count, "u32 count"),
                  FIELD(SharedRead, step, "u32 step"), FIELD(SharedRead, warp, "u32 warp")});
  t += structure(
      "SharedShadow", sizeof(SharedShadow),
      {FIELD(SharedShadow, valid, "u8* valid"), FIELD(SharedShadow, words, "u64* words"),
       FIELD(SharedShadow, writers, "u64* writers"), FIELD(SharedShadow, lines, "u64* lines"),
       FIELD(SharedShadow, interval, "u32 interval"), FIELD(SharedShadow, may_wait, "u32 may_wait"),
       FIELD(SharedShadow, waiting, "u32 waiting"),
       FIELD(SharedShadow, reads, "SharedRead reads[kMostReads]")});
  t += structure(
      "Warp", sizeof(Warp),
      {FIELD(Warp, base, "char* base[2]"), FIELD(Warp, fuel, "s64 fuel"),
       FIELD(Warp, counts, "BlockCount* counts"), FIELD(Warp, shared, "char* shared"),
       FIELD(Warp, shared_bytes, "u64 shared_bytes"), FIELD(Warp, native, "NativeState* native"),
       FIELD(Warp, kept, "u64* kept"), FIELD(Warp, resume, "u32 resume"),
       FIELD(Warp, sync_epoch, "u32 sync_epoch"), FIELD(Warp, race_key, "u64 race_key"),
       FIELD(Warp, shadow, "SharedShadow* shadow"), FIELD(Warp, index, "u32 index")});
  return t;
}
// NOLINTEND(bugprone-sizeof-expression)

/// Numbers that the texts know by name.
std::string numbers() {
  const std::pair<std::string_view, std::uint64_t> rows[] = {
      {"LOW", offsetof(KnownBuffer, low)},
      {"HIGH", offsetof(KnownBuffer, high)},
      {"FULLY_VALID", offsetof(KnownBuffer, fully_valid)},
      {"READ_ONLY", offsetof(KnownBuffer, read_only)},
      {"QUIET", offsetof(KnownBuffer, quiet)},
      {"kMostReads", SharedShadow::kMostReads},
  };
  std::string t;
  for (const auto& [name, value] : rows) t += fmt::format("#define {} {}u\n", name, value);
  return t;
}

#undef FIELD

}  // namespace

std::string_view native_prelude() {
  static const std::string text = [] {
    const auto prelude = [](const std::string& name) {
      return std::string(text_of("src/simt/native/prelude/" + name));
    };
    const std::string rows(text_of("src/simt/isa/arithmetic.def"));
    std::string t = numbers();
    t += text_of("src/simt/isa/rules.h");
    t += prelude("types.h") + prelude("elements.h") + prelude("shapes.h");
    t += prelude("scalar_rows.h") + rows + prelude("vector_rows.h") + rows;
    t += structures();
    t += text_of("src/simt/checks/race_rules.h");
    t += text_of("src/simt/checks/shadow_rules.h");
    return t + prelude("state.h") + prelude("races.h") + prelude("shared.h");
  }();
  return text;
}

}  // namespace warpwright::simt
