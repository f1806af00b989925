// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "build/compiler.h"
#include "evaluate/evaluator.h"
#include "port/prove.h"
#include "port/run_proof.h"

namespace warpwright::repair {

/// What a port has to prove, and the file of it that is written anew.
struct PortProof {
  port::CarriedProject project;
  port::Direction direction = port::Direction::to_hip;
  std::vector<std::string> targets;
  port::RunProof run;
  bool on_cpu = false;   ///< both wavefronts on the SIMT machine
  bool on_cuda = false;  ///< on the GPU of this machine
  std::string file;      ///< relative to the project
};

/// Judges versions of one file of a port: the compilers of its targets must take it, and the
/// program must do what the original does. Compilers and programs run in the sandbox.
class PortJudge final : public evaluate::Evaluator {
 public:
  PortJudge(PortProof proof, build::Builder builder)
      : proof_(std::move(proof)), builder_(std::move(builder)) {}

  [[nodiscard]] std::string device() const override;
  [[nodiscard]] int parallelism() const override { return 1; }
  [[nodiscard]] double max_device_s() const override { return 0; }
  Result<Evaluation> evaluate(const evaluate::EvaluationRequest& request,
                              const StopSignal& stop) override;

 private:
  PortProof proof_;
  build::Builder builder_;
};

/// The file of a port that its first message is about; the first unit where no message names one.
std::string file_to_mend(const port::CarriedProject& project,
                         const std::vector<port::CompileOutcome>& compiled);

}  // namespace warpwright::repair
