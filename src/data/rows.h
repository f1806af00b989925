// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/result.h"
#include "data/catalogue.h"

namespace warpwright::data {

/// What every row says of how it came to be (docs/data.md).
struct Provenance {
  std::string version;  ///< of this program
  std::string commit;
  std::string licence = "NOASSERTION";
};

/// The fields that all rows share: task, device, versions, commit, seeds, intervals, licence,
/// sha256.
nlohmann::json common_fields(const JudgedSample& judged, const Provenance& provenance);

/// A verdict in a row: the verdict, speed-up, times with intervals, device, versions and seeds.
nlohmann::json judgement_fields(const Evaluation& evaluation, const Provenance& provenance);
/// The evaluation that such fields tell of.
Evaluation evaluation_of_fields(const nlohmann::json& row);

/// [{role, content}], and an answer as one message: reasoning apart, where there is some.
nlohmann::json prompt_messages(const Sample& sample);
nlohmann::json answer_message(const Sample& sample);

/// A chat for supervised tuning.
nlohmann::json sft_row(const JudgedSample& judged, const Provenance& provenance);

/// The row with its own hash as the last word: row_sha256, of everything else in it.
std::string sealed(nlohmann::json row);
/// What `row_sha256` must be.
std::string seal_of(nlohmann::json row);

/// Lines to a file, or to standard output for "-". A file is complete or absent.
class RowWriter {
 public:
  static Result<RowWriter> create(const std::string& path);
  RowWriter(RowWriter&& other) noexcept;
  RowWriter& operator=(RowWriter&&) = delete;
  ~RowWriter();

  Status write(nlohmann::json row);
  Status finish();
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  RowWriter(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  std::FILE* file_;
  std::size_t rows_ = 0;
};

}  // namespace warpwright::data
