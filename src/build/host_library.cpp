// SPDX-License-Identifier: Apache-2.0
#include "build/host_library.h"

#include <elf.h>

#include <cstring>
#include <vector>

namespace warpwright::build {

namespace {

// What a library can ask without a system call, which the recorder would stop. Nothing that depends
// on the answers belongs into a plan.
struct Import {
  std::string_view name;
  std::string_view about;
};
constexpr Import kRefused[] = {
    {"dlopen", "other libraries"},
    {"dlmopen", "other libraries"},
    {"dlsym", "names in its process"},
    {"dlvsym", "names in its process"},
    {"dladdr", "names in its process"},
    {"dladdr1", "names in its process"},
    {"dlinfo", "names in its process"},
    {"dl_iterate_phdr", "what is loaded beside it"},
    {"_r_debug", "what is loaded beside it"},
    {"_rtld_global", "what is loaded beside it"},
    {"_rtld_global_ro", "what is loaded beside it"},
    {"backtrace", "who calls it"},
    {"backtrace_symbols", "who calls it"},
    {"backtrace_symbols_fd", "who calls it"},
    {"getauxval", "its process"},
    {"__libc_stack_end", "its process"},
    {"environ", "its environment"},
    {"_environ", "its environment"},
    {"__environ", "its environment"},
    {"getenv", "its environment"},
    {"secure_getenv", "its environment"},
    {"__libc_argv", "its command line"},
    {"program_invocation_name", "its command line"},
    {"program_invocation_short_name", "its command line"},
    {"__progname", "its command line"},
    {"__progname_full", "its command line"},
};

constexpr std::string_view kEnter = "ww_enter";
constexpr std::string_view kCloseDoors = "ww_close_doors";
constexpr std::uint32_t kResolverRelocations[] = {R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE};

/// Copies a structure out of the bytes; zeros where they end.
template <class T>
T at(std::string_view bytes, std::uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && sizeof value <= bytes.size() - offset) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

std::string_view part(std::string_view bytes, const Elf64_Shdr& section) {
  if (section.sh_offset > bytes.size()) return {};
  return bytes.substr(section.sh_offset, section.sh_size);
}

std::string_view text_at(std::string_view table, std::uint32_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

template <class Entry, class Visit>
void for_each(std::string_view table, const Visit& visit) {
  for (std::uint64_t i = 0; (i + 1) * sizeof(Entry) <= table.size(); ++i) {
    visit(at<Entry>(table, i * sizeof(Entry)));
  }
}

/// What matters of the library.
struct Facts {
  std::vector<std::string_view> imports;
  std::uint64_t init = 0;    ///< what runs first
  std::uint64_t enter = 0;   ///< what must
  bool resolvers = false;    ///< code that runs while it is being linked
  std::string_view of_cuda;  ///< a function of CUDA's that it has in CUDA's place
};

/// "cudaEventElapsedTime": a name of C. Names of C++ begin otherwise, whatever they are called.
bool is_of_cuda(std::string_view name) {
  return name.starts_with("cuda") && name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z';
}

void read_symbols(std::string_view symbols, std::string_view names, Facts& facts) {
  for_each<Elf64_Sym>(symbols, [&](const Elf64_Sym& symbol) {
    const std::string_view name = text_at(names, symbol.st_name);
    if (symbol.st_shndx == SHN_UNDEF) {
      facts.imports.push_back(name);
    } else {
      if (name == kEnter) facts.enter = symbol.st_value;
      if (is_of_cuda(name)) facts.of_cuda = name;
      facts.resolvers = facts.resolvers || ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
    }
  });
}

Facts read_facts(std::string_view elf) {
  Facts facts;
  const auto head = at<Elf64_Ehdr>(elf, 0);
  const auto section = [&](std::uint32_t number) {
    return at<Elf64_Shdr>(elf, head.e_shoff + std::uint64_t{number} * sizeof(Elf64_Shdr));
  };
  for (std::uint32_t i = 0; i < head.e_shnum; ++i) {
    const Elf64_Shdr each = section(i);
    const std::string_view content = part(elf, each);
    if (each.sh_type == SHT_DYNSYM) {
      read_symbols(content, part(elf, section(each.sh_link)), facts);
    } else if (each.sh_type == SHT_DYNAMIC) {
      for_each<Elf64_Dyn>(content, [&](const Elf64_Dyn& row) {
        if (row.d_tag == DT_INIT) facts.init = row.d_un.d_ptr;
      });
    } else if (each.sh_type == SHT_RELA) {
      for_each<Elf64_Rela>(content, [&](const Elf64_Rela& row) {
        for (const std::uint32_t type : kResolverRelocations) {
          facts.resolvers = facts.resolvers || ELF64_R_TYPE(row.r_info) == type;
        }
      });
    }
  }
  return facts;
}

}  // namespace

std::optional<std::string> refused_library(std::string_view elf) {
  if (!elf.starts_with(ELFMAG)) return "the host part is no library";
  const Facts facts = read_facts(elf);
  bool closes_doors = false;
  for (const std::string_view name : facts.imports) {
    closes_doors = closes_doors || name == kCloseDoors;
    for (const Import& row : kRefused) {
      if (row.name == name) {
        return "host code may not ask for " + std::string(row.about) + " (" + std::string(name) +
               ")";
      }
    }
  }
  if (!closes_doors || facts.enter == 0 || facts.init != facts.enter) {
    return "the host part defines names that belong to the judge (ww_...)";
  }
  if (!facts.of_cuda.empty())
    return "host code may not replace functions of CUDA (" + std::string(facts.of_cuda) + ")";
  if (facts.resolvers) return "host code may not choose functions while it is loaded (ifunc)";
  return std::nullopt;
}

}  // namespace warpwright::build
