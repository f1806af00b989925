// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <random>

#include "device/cuda_device.h"
#include "device/cuda_replay_streams.h"

namespace warpwright::device {

/// Runs a plan. Timed: on streams of its own where it has several, or as one graph. Otherwise step
/// by step, those without an order among them the other way round than they were asked for: what
/// lacks an event shows in the results.
class CudaReplay final : public Replay {
 public:
  static Result<std::unique_ptr<Replay>> make(CudaDevice& device, ModuleId module,
                                              const LaunchPlan& plan,
                                              std::span<const Binding> bindings,
                                              const CudaReplay* sibling);
  ~CudaReplay() override;
  Result<RunReport> run(const RunOptions& options) override;
  Status queue() override;

 private:
  CudaReplay(CudaDevice& device, ModuleId module, const LaunchPlan& plan)
      : device_(device),
        driver_(device.driver_),
        module_(module),
        plan_(plan),
        streams_(device.driver_, plan_) {}

  Status allocate(const CudaReplay* sibling);
  Status set_limits();
  /// Addresses and functions of the module as it is loaded now.
  Status resolve();
  /// Puts texture objects in the place of the buffers that describe them.
  Status make_textures();
  void drop_textures();
  /// What the driver makes of tensor maps among relocated bytes; sets fault_ where it refuses one.
  void encode(std::string& bytes);
  Status resolve_function(const std::string& kernel, const KernelLaunch& launch);
  Status stage_uploads();
  Status reset(const RunOptions& options);
  Status fill_staged();
  /// Other garbage for all that the candidate may reach beside its inputs.
  Status fill_garbage(std::uint64_t secret);
  /// Queues all steps on their streams. A refused launch sets fault_.
  Status issue();
  /// Queues all steps on the judge's stream, in another legal order.
  Status issue_reversed();
  Status issue_on(CuStream stream, std::size_t step);
  [[nodiscard]] bool may_overlap(const KernelLaunch& launch, std::size_t step,
                                 CuStream stream) const;
  CuResult issue_step(const KernelLaunch& launch, std::size_t step, CuStream stream);
  CuResult issue_step(const Memset& set, std::size_t step, CuStream stream);
  CuResult issue_step(const DeviceCopy& copy, std::size_t step, CuStream stream);
  CuResult issue_step(const Upload& upload, std::size_t step, CuStream stream);
  CuResult issue_step(const Allocate&, std::size_t, CuStream) { return 0; }
  CuResult issue_step(const Free&, std::size_t, CuStream) { return 0; }
  [[nodiscard]] bool fits_graph() const;
  [[nodiscard]] bool by_graph(const RunOptions& options) const;
  [[nodiscard]] std::size_t graphs_wanted() const;
  Status capture();
  /// One more of the same. Where a graph lies shows in short times: samples go round.
  Status add_graph();
  void drop_graphs();
  Result<RunReport> run_resolved(const RunOptions& options);
  /// Nobody may write around a buffer.
  Status check_margins(RunReport& report);
  void describe_kernels(RunReport& report) const;
  [[nodiscard]] CuAddress real(const PlanAddress& address) const;

  CudaDevice& device_;
  const CudaDriver& driver_;
  ModuleId module_;
  LaunchPlan plan_;
  CudaReplayStreams streams_;
  std::vector<Binding> bindings_;
  std::optional<Fault> fault_;
  /// By buffer; null where it is none. A rival may share it.
  std::vector<std::shared_ptr<CudaMemory>> scratch_;
  std::vector<std::unique_ptr<CudaMemory>> staged_;  ///< by step: what uploads upload
  std::vector<std::uint64_t> bases_;
  std::vector<std::string> parameters_;               ///< by step, relocated
  std::vector<std::vector<void*>> named_parameters_;  ///< by step: where each is in parameters_
  std::vector<CuTexture> textures_;
  std::map<std::string, CuFunction> functions_;
  CuGraph captured_ = nullptr;
  std::vector<CuGraphExec> graphs_;
  std::size_t turn_ = 0;
  std::uint64_t local_bytes_ = 0;          ///< of a thread, the most of all kernels
  bool queued_ = false;                    ///< what uploads upload is in place
  std::vector<FillRange> margins_;         ///< as they were filled before the last run
  std::vector<std::string> margin_names_;  ///< whose they are
  std::random_device random_;
};

}  // namespace warpwright::device
