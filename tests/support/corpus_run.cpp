// SPDX-License-Identifier: Apache-2.0
// The text of the corpus' kernels, and the SIMT machine's results.
#include <cstring>

#include "simt/machine.h"
#include "support/corpus.h"

namespace warpwright::corpus {
namespace {

using std::string;

string name(const string& stem, const Operand& o, std::uint32_t k) {
  return o.count == 1 ? stem : stem + "_" + std::to_string(k);
}

string register_type(Kind kind) {
  return kind == Kind::pred ? ".pred" : ".b" + std::to_string(8 * bytes_of(kind));
}

void declare(string& text, const string& stem, const Operand& o) {
  for (std::uint32_t k = 0; k < o.count; ++k)
    text += "\t.reg " + register_type(o.kind) + " " + name(stem, o, k) + ";\n";
}

/// %p = pointer + thread * bytes, %w = the same of the warp's first thread.
void address(string& text, const string& parameter, const string& own, const string& warp,
             const Operand& o) {
  const string bytes = std::to_string(o.count * bytes_of(o.kind));
  text += "\tld.param.u64 %d9, [" + parameter + "];\n";
  text += "\tmad.wide.u32 " + own + ", %i, " + bytes + ", %d9;\n";
  text += "\tmad.wide.u32 " + warp + ", %iw, " + bytes + ", %d9;\n";
}

void load(string& text, std::size_t j, const Operand& o) {
  const string stem = "%a" + std::to_string(j), at = "%pa" + std::to_string(j);
  const string bits = std::to_string(8 * bytes_of(o.kind));
  for (std::uint32_t k = 0; k < o.count; ++k) {
    const string place = "[" + at + "+" + std::to_string(k * bytes_of(o.kind)) + "]";
    if (o.kind == Kind::pred) {
      text +=
          "\tld.global.u32 %r9, " + place + ";\n\tsetp.ne.u32 " + name(stem, o, k) + ", %r9, 0;\n";
    } else {
      text += "\tld.global.b" + bits + " " + name(stem, o, k) + ", " + place + ";\n";
    }
  }
}

void store(string& text, const Operand& o) {
  const string bits = std::to_string(8 * bytes_of(o.kind));
  for (std::uint32_t k = 0; k < o.count; ++k) {
    string value = name("%o", o, k);
    if (o.kind == Kind::pred) {
      text += "\tselp.u32 %r9, 1, 0, " + value + ";\n";
      value = "%r9";
    }
    text += "\tst.global.b" + bits + " [%po+" + std::to_string(k * bytes_of(o.kind)) + "], " +
            value + ";\n";
  }
}

void add_kernel(string& text, const Case& c, std::size_t number) {
  text += "// " + c.name + "\n.visible .entry k" + std::to_string(number) +
          "(.param .u64 q0, .param .u64 q1, .param .u64 q2, .param .u64 q3, .param .u64 qo)\n{\n"
          "\t.reg .pred %p<4>;\n\t.reg .b16 %h<4>;\n\t.reg .b32 %r<10>;\n\t.reg .b32 %w<24>;\n"
          "\t.reg .b64 %d<10>;\n\t.reg .b32 %i, %iw, %t, %q;\n"
          "\t.reg .b64 %pa0, %pa1, %pa2, %pa3, %wa0, %wa1, %wa2, %wa3, %po, %wo;\n";
  const bool uses_shared = c.body.find("shared") != string::npos;
  if (uses_shared) {
    text +=
        "\t.shared .align 16 .b8 rows[4096];\n\t.shared .align 8 .b8 own[2048];\n"
        "\t.shared .align 4 .u32 hot;\n";
  }
  for (std::size_t j = 0; j < c.inputs.size(); ++j)
    declare(text, "%a" + std::to_string(j), c.inputs[j]);
  declare(text, "%o", c.output);
  text +=
      "\tmov.u32 %t, %tid.x;\n\tmov.u32 %r0, %ctaid.x;\n\tmov.u32 %r1, %ntid.x;\n"
      "\tmad.lo.u32 %i, %r0, %r1, %t;\n\tand.b32 %iw, %i, 0xffffffe0;\n";
  if (uses_shared) text += "\tshl.b32 %q, %t, 3;\n\tmov.u32 %r0, own;\n\tadd.u32 %q, %q, %r0;\n";
  for (std::size_t j = 0; j < c.inputs.size(); ++j) {
    const string at = std::to_string(j);
    address(text, "q" + at, "%pa" + at, "%wa" + at, c.inputs[j]);
    load(text, j, c.inputs[j]);
  }
  address(text, "qo", "%po", "%wo", c.output);
  text += "\t" + c.body + "\n";
  // A body that ends by itself has written its results.
  if (!c.body.ends_with("ret;")) {
    store(text, c.output);
    text += "\tret;\n";
  }
  text += "}\n";
}

}  // namespace

string ptx_of(const std::vector<const Case*>& cases) {
  string text = ".version 8.3\n.target sm_90\n.address_size 64\n\n";
  for (std::size_t k = 0; k < cases.size(); ++k) add_kernel(text, *cases[k], k);
  return text;
}

Result<std::vector<std::byte>> run_on_simt(const Case& c, std::uint32_t threads) {
  WW_TRY(const simt::Module module, simt::load(ptx_of({&c})));
  simt::Machine machine;
  std::uint64_t pointers[5] = {};
  for (std::size_t j = 0; j < c.inputs.size(); ++j) {
    const std::vector<std::byte> bytes = input_bytes(c, j, threads);
    WW_TRY(pointers[j], machine.memory().allocate(bytes.size(), "a" + std::to_string(j)));
    WW_CHECK(machine.memory().copy_in(pointers[j], bytes));
  }
  std::vector<std::byte> out(std::size_t{threads} * c.output.count * bytes_of(c.output.kind));
  WW_TRY(pointers[4], machine.memory().allocate(out.size(), "out"));
  simt::Launch launch;
  launch.kernel = "k0";
  launch.grid = {threads / kBlock};
  launch.block = {kBlock};
  launch.params = std::as_bytes(std::span(pointers));
  launch.options.checks = simt::Checks::fast;
  WW_TRY(const simt::LaunchReport report, machine.launch(module, launch));
  if (!report.clean()) return Error{report.faults.front().describe()};
  WW_CHECK(machine.memory().copy_out(out, pointers[4]));
  return out;
}

}  // namespace warpwright::corpus
