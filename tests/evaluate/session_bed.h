// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include "base/files.h"
#include "evaluate/oracle_kit.h"
#include "suite/load.h"
#include "support/places.h"

namespace warpwright::evaluate {

/// A candidate on the SIMT machine with the judge's own kernels beside it, as a GPU has them.
class SessionBed {
 public:
  Status load_candidate(Task task, const std::string& source) {
    auto wanted = std::make_shared<Source>();
    wanted->request.task = std::move(task);
    wanted->request.source = source;
    wanted->request.device = "simt";
    wanted->request.front_end = "clang";
    // The judge's own code is the same in every test: it is compiled once.
    wanted->request.cache = build_path("/tests/session_cache");
    context_.emplace(
        Context{.scratch = folder_.path(), .station = station_, .stop = stop_, .limit_s = 60});
    auto built = build_stage(wanted, *context_);
    if (!built.ok()) return said(built.error());
    auto recorded = record_stage(std::move(built).value(), 4711, *context_);
    if (!recorded.ok()) return said(recorded.error());
    prepared_.emplace(std::move(recorded).value());
    WW_TRY(kit_, oracle_kit(*prepared_, *context_));
    WW_TRY(auto reference,
           verify::Reference::load(prepared_->task(),
                                   {.cache = build_path("/tests/session_cache/references")}));
    reference_.emplace(std::move(reference));
    WW_TRY(machine_, device::open_device(prepared_->target, 0));
    session_.emplace(Session{.prepared = *prepared_,
                             .context = *context_,
                             .device = *machine_,
                             .reference = &*reference_,
                             .kit = kit_.get()});
    WW_TRY(const auto fault, load(*session_));
    EXPECT_FALSE(fault);
    return {};
  }

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] const Prepared& prepared() const { return *prepared_; }

 private:
  static Error said(const Halt& halt) {
    if (const auto* ended = std::get_if<Ended>(&halt)) return Error{ended->reason};
    return std::get<Error>(halt);
  }

  TemporaryDirectory folder_ = TemporaryDirectory::create("session-bed").value();
  Station station_;
  StopSignal stop_;
  std::optional<Context> context_;
  std::optional<Prepared> prepared_;
  std::shared_ptr<const OracleKit> kit_;
  std::optional<verify::Reference> reference_;
  std::unique_ptr<device::Device> machine_;
  std::optional<Session> session_;
};

/// "none", the reason of a verdict, or the world's error.
inline std::string reason_of(const Outcome<>& outcome) {
  if (outcome.ok()) return "none";
  const Halt halt = outcome.error();
  if (const auto* ended = std::get_if<Ended>(&halt)) return ended->reason;
  return "error: " + std::get<Error>(halt).message;
}

/// A kernel for the task sigmoid with this body: `i` is the element, `n` their number.
inline std::string sigmoid_with(const std::string& body) {
  return "__global__ void sigmoid(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * 256 + threadIdx.x;\n" +
         body +
         "\n}\nextern \"C\" void solve(const float* X, float* Y, int N) {\n"
         "  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);\n}\n";
}
inline const std::string kRightSigmoid = "  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));";

}  // namespace warpwright::evaluate
