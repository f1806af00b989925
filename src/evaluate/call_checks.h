// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "evaluate/host_checks.h"
#include "evaluate/kept_places.h"
#include "evaluate/measure.h"
#include "verify/oracle.h"

namespace warpwright::evaluate {

/// Gives every timed call of a size inputs of its own, made on the device just before it, and
/// checks what calls leave. With checks on the device (a task with a reference.cu, or rules that
/// need none) that is every call. Otherwise the outputs of a few calls are fetched, chosen by a
/// secret after they were made, and compared on the host.
class CallChecks {
 public:
  static Result<std::unique_ptr<CallChecks>> make(Session& session, const Sized& sized);

  /// Writes inputs that no call has seen to the place.
  Status before(const CaseBuffers& place);
  /// The same with inputs of another distribution than the declared one: a variant of the task or a
  /// generic pattern, drawn. False: there is none that makes the same call.
  Result<bool> before_other(const CaseBuffers& place);
  /// Checks the call that was just made there, or has it checked: nobody waits for the device.
  Status after(const LoadedCase& place);
  /// Waits for the checks on the device so far. Ended by the first call that is wrong.
  Outcome<> conclude_round();
  /// The same, and for those on the host, when no more calls are to come.
  Outcome<> conclude();

  /// Whether results are compared on the host. Then nothing needs the places that calls were made
  /// at.
  [[nodiscard]] bool compares_on_host() const { return !on_device_; }
  /// Those that are to be compared there, taken from the device: it is not needed any more, except
  /// where a baseline stands in for the reference. Instead of conclude().
  Outcome<std::vector<HostCheck>> hand_over();
  /// "every call" or "8 of 210 calls".
  [[nodiscard]] std::string coverage() const;

 private:
  CallChecks(Session& session, const Sized& sized) : session_(session), sized_(sized) {}
  Status open();
  Status collect();
  Status check_on_device(const LoadedCase& place);
  Status keep_some(const LoadedCase& place);
  Outcome<> conclude_on_device();
  void next_call(const InputVariant* variant);
  /// The distribution of the call under way, with numbers of its own.
  Status add_distribution();
  [[nodiscard]] verify::OracleCase::Challenge challenge();
  std::uint64_t secret() { return (std::uint64_t{random_()} << 32) ^ random_(); }

  /// A call whose outputs were fetched.
  struct Kept {
    std::uint64_t seed = 0;
    const InputVariant* variant = nullptr;
    Fetched fetched;
    std::unique_ptr<CaseBuffers> copy;  ///< on the device, where the outputs are large
    std::uint64_t key = 0;              ///< of its digest, drawn after the call
    std::uint64_t digest = 0;
  };
  [[nodiscard]] Result<std::uint64_t> digest_of(const Kept& kept) const;
  /// What is on the device comes to the host, unless something else has written there.
  Outcome<> fetch(Kept& kept);
  [[nodiscard]] Status copy_outputs(const CaseBuffers& from, const CaseBuffers& to) const;

  Session& session_;
  const Sized& sized_;
  bool on_device_ = false;
  bool declared_varies_ = false;  ///< the declared distribution has numbers that are drawn
  std::unique_ptr<verify::OracleCase> oracle_;
  std::vector<verify::CallFailure> failures_;
  std::vector<Kept> kept_;
  bool keeps_there_ = false;
  KeptPlaces places_;
  std::uint64_t calls_ = 0;
  std::size_t pending_ = 0;  ///< calls since the last collect()
  std::uint64_t seed_ = 0;   ///< of the call under way, with the next two
  const InputVariant* variant_ = nullptr;
  std::size_t distribution_ = 0;
  std::uint64_t portion_ = verify::OracleCase::Challenge{}.portion;  ///< of the rows, of 2^32
  std::random_device random_;
};

}  // namespace warpwright::evaluate
