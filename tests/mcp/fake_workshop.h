// SPDX-License-Identifier: Apache-2.0
// A workshop whose verdicts are a function of the source, without compilers: for the protocol.
#pragma once

#include <chrono>
#include <thread>

#include "base/files.h"
#include "mcp/server.h"
#include "support/torch_task.h"

namespace warpwright::mcp {

class FakeWorkshop final : public Workshop {
 public:
  Result<Evaluation> judge(const JudgeWish& wish, const StopSignal& stop) override {
    ++judged;
    while (wish.source == "slow" && !stop.requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (stop.requested()) {
      ++stopped;
      return Error{"stopped"};
    }
    if (wish.source == "broken judge") return Error{"the judge is not there"};
    if (wish.source == "throw") throw std::runtime_error("thrown");
    Evaluation evaluation;
    evaluation.device = "a fake device";
    evaluation.seed = "12345";
    if (wish.source == "too busy") {
      evaluation.verdict = Verdict::harness_error;
      evaluation.stage = Stage::build;
      return evaluation;
    }
    if (wish.source == "bad") {
      evaluation.verdict = Verdict::compile_error;
      evaluation.stage = Stage::build;
      evaluation.reason = "in /secret/path: tolerance 1e-5";
      evaluation.feedback = "it does not compile";
      for (int line = 1; line < 9; ++line) {
        evaluation.diagnostics.push_back({"error", line, 1, "expected ';'"});
      }
      return evaluation;
    }
    evaluation.verdict = Verdict::ok;
    evaluation.stage = Stage::measure;
    Measurement m;
    m.size = wish.sizes.empty() ? "1000x1000" : wish.sizes[0];
    m.median_us = 10;
    m.floor_us = 5;
    if (wish.with_baseline) m.baseline_us = 20;
    evaluation.measurements = {m};
    return evaluation;
  }
  Result<std::string> describe_module(const ModuleWish& wish, const StopSignal&) override {
    if (wish.text.find("nn.Module") == std::string::npos) {
      return Error{wish.name + ".py:1: there is no module"};
    }
    described = wish;
    return std::string(kFixedTorchTask);
  }
  ModuleWish described;
  Result<Evaluation> compare(const CompareWish& wish, const StopSignal& stop) override {
    WW_TRY(Evaluation evaluation,
           judge({.task = wish.task, .source = wish.first.value_or("")}, stop));
    evaluation.comparison.emplace();
    evaluation.comparison->order = Order::faster;
    evaluation.comparison->ratio = {0.5, 0.4, 0.6};
    if (!evaluation.valid()) evaluation.comparison->failed = "first";
    return evaluation;
  }
  Result<Tuned> tune(const TuneWish& wish, const StopSignal& stop) override {
    Tuned tuned{
        .source = "// tuned: T\n" + wish.source, .given_values = "T=1", .best_values = "T=2"};
    WW_TRY(tuned.best, judge({.task = wish.task, .source = wish.source}, stop));
    tuned.given = tuned.best;
    tuned.changed = tuned.best.valid();
    tuned.gain = tuned.changed ? 1.5 : 1;
    return tuned;
  }
  Result<evaluate::Explanation> explain(const ExplainWish& wish, const StopSignal& stop) override {
    evaluate::Explanation explanation;
    explanation.task = wish.task.name;
    WW_TRY(explanation.evaluation, judge({.task = wish.task, .source = wish.source}, stop));
    explanation.target = *known_device("h200");
    return explanation;
  }
  Result<DeviceFacts> target() override { return *known_device("h200"); }
  [[nodiscard]] std::filesystem::path archive() const override {
    return folder.path() / "archive.db";
  }
  Result<std::string> first_question(const Task&) override { return std::string("write it"); }
  Result<std::string> start_search(const SearchWish& wish) override {
    if (wish.evaluations > 100) return Error{"the budget of this server does not allow it"};
    return std::string("transpose-1");
  }
  std::optional<SearchStand> search_stand(const std::string&) override { return std::nullopt; }
  Status stop_search(const std::string&) override { return {}; }
  Status tell(const std::string&, const std::string&, const std::string&,
              const std::string&) override {
    return {};
  }
  Result<std::map<std::string, std::string>> exported(const std::string&,
                                                      const std::string&) override {
    return std::map<std::string, std::string>{{"kernel.cu", "source\n"}, {"in.bin", "\xff\x00"}};
  }

  std::atomic<int> judged{0};
  std::atomic<int> stopped{0};
  TemporaryDirectory folder = std::move(TemporaryDirectory::create("ww-mcp-")).value();
};

/// A server with everything it needs, one client and what that client was told.
class Bench final : public Listener {
 public:
  explicit Bench(std::vector<std::string> allowed = {})
      : folders_(std::move(Folders::open(allowed)).value()) {}

  void notify(const Json& message) override { told.push_back(message); }

  std::optional<Json> say(const Json& message) {
    return server.handle(message_of(message), connection, *this);
  }
  /// A request of the handshake's era; the handshake is made first.
  Json ask(const std::string& method, Json params = Json::object()) {
    if (connection.version().empty()) {
      say({{"jsonrpc", "2.0"},
           {"id", 0},
           {"method", "initialize"},
           {"params",
            {{"protocolVersion", kLegacyVersion},
             {"capabilities", Json::object()},
             {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}});
    }
    return *say({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
  }
  Json call(const std::string& tool, Json arguments) {
    return ask("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
  }

  FakeWorkshop workshop;

 private:
  Folders folders_;
  JobTable jobs_{2, 8};

 public:
  Server server{{workshop, folders_, jobs_}, {.version = "1.2.3", .max_calls = 4, .settings = {}}};
  Connection connection{4};
  std::vector<Json> told;

 private:
  int id_ = 0;
};

}  // namespace warpwright::mcp
