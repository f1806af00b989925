// SPDX-License-Identifier: Apache-2.0
#include "port/report.h"

#include <nlohmann/json.hpp>

namespace warpwright::port {

namespace {

using Json = nlohmann::json;

Json answer(const std::optional<bool>& value) { return value ? Json(*value) : Json(nullptr); }

Json compiled_json(const std::vector<CompileOutcome>& outcomes) {
  Json list = Json::array();
  for (const CompileOutcome& outcome : outcomes) {
    Json kernels = Json::array();
    for (const KernelResources& kernel : outcome.kernels) {
      Json row = kernel.figures;
      row["kernel"] = kernel.kernel;
      kernels.push_back(std::move(row));
    }
    list.push_back({{"target", outcome.target},
                    {"errors", outcome.errors},
                    {"reason", outcome.reason},
                    {"kernels", std::move(kernels)}});
  }
  return list;
}

const char* word_for(const std::optional<bool>& value) {
  return !value ? "not tried" : *value ? "yes" : "no";
}

}  // namespace

int exit_code_of(const PortReport& report) {
  bool missing = (report.asked_cpu && (!report.verified.wave32 || !report.verified.wave64)) ||
                 (report.asked_cuda && !report.verified.cuda);
  bool failed = report.verified.wave32 == false || report.verified.wave64 == false ||
                report.verified.cuda == false;
  for (const CompileOutcome& outcome : report.compiled) {
    missing = missing || !outcome.compiles || (!*outcome.compiles && outcome.lacks_header);
    failed = failed || (outcome.compiles == false && !outcome.lacks_header);
  }
  // Nothing was proven where nothing was compiled: what has no counterpart then decides.
  if (report.compiled.empty() && !report.project.findings.unmapped.empty()) failed = true;
  return failed ? 1 : missing ? 2 : 0;
}

std::string port_json(const PortReport& report) {
  Json json = {
      {"compiles", Json::object()}, {"unmapped", Json::array()}, {"hazards", Json::array()}};
  for (const CompileOutcome& outcome : report.compiled)
    json["compiles"][outcome.target] = answer(outcome.compiles);
  for (const Unmapped& row : report.project.findings.unmapped)
    json["unmapped"].push_back(
        {{"file", row.file}, {"line", row.line}, {"text", row.text}, {"advice", row.advice}});
  for (const Hazard& row : report.project.findings.hazards)
    json["hazards"].push_back({{"file", row.file},
                               {"line", row.line},
                               {"kind", row.kind},
                               {"text", row.text},
                               {"repaired", row.repaired},
                               {"why", row.why}});
  json["verified"] = {
      {"cpu",
       {{"wave32", answer(report.verified.wave32)}, {"wave64", answer(report.verified.wave64)}}},
      {"cuda", answer(report.verified.cuda)}};
  json["files"] = report.project.files;
  json["targets"] = compiled_json(report.compiled);
  json["notes"] = report.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string port_text(const PortReport& report) {
  std::string text = std::to_string(report.project.files.size()) + " files written to " +
                     report.project.folder.string() + "\n";
  for (const CompileOutcome& outcome : report.compiled) {
    text += "compiles for " + outcome.target + ": " + word_for(outcome.compiles);
    text += outcome.reason.empty() ? "\n" : " (" + outcome.reason + ")\n";
    for (const std::string& line : outcome.errors) text += "  " + line + "\n";
    for (const KernelResources& kernel : outcome.kernels) {
      text += "  " + kernel.kernel + ":";
      for (const auto& [name, value] : kernel.figures)
        text += " " + name + " " + std::to_string(value);
      text += "\n";
    }
  }
  for (const Unmapped& row : report.project.findings.unmapped)
    text += row.file + ":" + std::to_string(row.line) + ": no counterpart: " + row.text + "\n  " +
            row.advice + "\n";
  for (const Hazard& row : report.project.findings.hazards)
    text += row.file + ":" + std::to_string(row.line) + ": " + row.kind +
            (row.repaired ? ", repaired: " : ", to do: ") + row.text + "\n  " + row.why + "\n";
  if (report.asked_cpu)
    text += std::string("runs alike on the CPU, wavefront of 32: ") +
            word_for(report.verified.wave32) + ", of 64: " + word_for(report.verified.wave64) +
            "\n";
  if (report.asked_cuda)
    text += std::string("runs alike on a GPU of NVIDIA: ") + word_for(report.verified.cuda) + "\n";
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace warpwright::port
