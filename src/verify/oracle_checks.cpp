// SPDX-License-Identifier: Apache-2.0
// Which kernel checks an output, and with which numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "verify/oracle.h"
#include "verify/projection.h"
#include "verify/rules.h"

namespace warpwright::verify {

namespace {

constexpr std::uint64_t kBlockThreads = 256;

struct CompareRow {
  std::string_view rule;
  Compare compare;
  // Names of its parameters; empty where it has none.
  std::string_view relative, absolute, share, rel_rms, row, nonzero;
};

constexpr std::array<CompareRow, 9> kCompared = {{
    {"elementwise", Compare::elementwise, "rtol", "atol", "alpha_rms", "rel_rms", "row", "nonzero"},
    {"exact", Compare::exact, {}, {}, {}, {}, {}, {}},
    {"exact_int", Compare::exact, {}, {}, {}, {}, {}, {}},
    {"sorted_exact", Compare::exact, {}, {}, {}, {}, {}, {}},
    {"bits", Compare::bits, {}, {}, {}, {}, {}, {}},
    {"rounded", Compare::rounded, {}, "tie", {}, {}, {}, {}},
    {"scalar", Compare::scalar, "rtol", "atol", "tau", {}, {}, {}},
    {"scan", Compare::scalar, "rtol", "atol", "tau", {}, {}, {}},
    {"dot_products", Compare::dot_products, "rtol", {}, "alpha", "rel_rms", {}, {}},
}};

Result<std::size_t> argument_of(const Instance& instance, const CheckRule& check,
                                std::string_view parameter) {
  const auto found = check.parameters.find(std::string(parameter));
  const auto& arguments = instance.task->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (found == check.parameters.end() || arguments[i].name != found->second) continue;
    if (arguments[i].type == ElementType::f32 || arguments[i].type == ElementType::f16) return i;
    return Error{fmt::format("check '{}': the rule works on f32 and f16 only", check.rule)};
  }
  return Error{fmt::format("check rule '{}' needs '{}'", check.rule, parameter)};
}

Result<std::uint64_t> whole(const Instance& instance, const CheckRule& check,
                            std::string_view name) {
  WW_TRY(const double value, rule_number(instance, check, name));
  return static_cast<std::uint64_t>(value);
}

}  // namespace

Result<OracleCase::Output> OracleCase::output_of(const Instance& instance, std::size_t argument) {
  const CheckRule check = check_for(*task_, instance.variant, task_->arguments[argument]);
  Output output{.argument = argument, .call = {}};
  if (check.rule == "order_multiset") {
    output.call = OrderCall{.before = address(copies_[argument]), .count = counts_[argument]};
  } else if (check.rule == "freivalds_samples") {
    WW_CHECK(read_product(instance, check, output));
  } else if (check.rule == "ols") {
    WW_CHECK(read_ols(instance, check, output));
  } else {
    WW_CHECK(read_compare(instance, check, output));
  }
  const int type = static_cast<int>(task_->arguments[argument].type);
  std::visit([type](auto& call) { call.type = type; }, output.call);
  return output;
}

Status OracleCase::read_compare(const Instance& instance, const CheckRule& check, Output& output) {
  const auto row = std::find_if(kCompared.begin(), kCompared.end(),
                                [&](const CompareRow& r) { return r.rule == check.rule; });
  if (row == kCompared.end())
    return Error{fmt::format("no kernel checks the rule '{}'", check.rule)};
  const std::size_t i = output.argument;
  CompareCall call{.expected = address(expected_[i]),
                   .scale = address(scales_[i]),
                   .count = counts_[i],
                   .width = counts_[i],
                   .wide = wide_[i] ? 1 : 0,
                   .compare = row->compare,
                   .rel_rms = std::numeric_limits<double>::infinity()};
  const auto read = [&](std::string_view name, double& to) -> Status {
    if (name.empty()) return {};
    WW_TRY(to, rule_number(instance, check, name));
    return {};
  };
  WW_CHECK(read(row->relative, call.relative));
  WW_CHECK(read(row->absolute, call.absolute));
  WW_CHECK(read(row->share, call.share));
  WW_CHECK(read(row->rel_rms, call.rel_rms));
  double width = 0;
  WW_CHECK(read(row->row, width));
  double nonzero = 0;
  WW_CHECK(read(row->nonzero, nonzero));
  call.nonzero = nonzero != 0 ? 1 : 0;
  if (width >= 1) call.width = static_cast<std::uint64_t>(width);
  if (row->compare == Compare::rounded) call.absolute += 0.5;
  if (row->compare == Compare::bits && wide_[i])
    return Error{"bits need expected values of the output's own type"};
  output.needs_expected = true;
  if (row->compare == Compare::elementwise && call.share != 0 && call.count > 0) {
    const std::uint64_t rows = (call.count + call.width - 1) / call.width;
    WW_TRY(output.sums, take(2 * rows * sizeof(double), "sums", true));
    call.squares = address(output.sums);
  }
  output.call = call;
  return {};
}

Status OracleCase::read_product(const Instance& instance, const CheckRule& check, Output& output) {
  ProductCall call{};
  WW_TRY(const std::size_t left, argument_of(instance, check, "left"));
  WW_TRY(const std::size_t right, argument_of(instance, check, "right"));
  WW_TRY(call.rows, whole(instance, check, "rows"));
  WW_TRY(call.cols, whole(instance, check, "cols"));
  WW_TRY(call.inner, whole(instance, check, "inner"));
  WW_TRY(call.relative, rule_number(instance, check, "rtol"));
  WW_TRY(call.share, rule_number(instance, check, "alpha_rms"));
  WW_TRY(call.rel_rms, rule_number(instance, check, "rel_rms"));
  WW_TRY(call.residual, rule_number(instance, check, "residual"));
  WW_TRY(const bool full, freivalds_is_full(instance, check));
  const bool fits = counts_[left] == call.rows * call.inner &&
                    counts_[right] == call.inner * call.cols &&
                    counts_[output.argument] == call.rows * call.cols;
  if (!fits || call.rows * call.cols == 0)
    return Error{"freivalds_samples: rows, cols and inner do not fit the buffers"};
  call.left = address(copies_[left]);
  call.right = address(copies_[right]);
  call.entries = full ? 0 : kSampledEntries;
  if (!full) {
    WW_TRY(const auto vectors, take(call.cols * kVectors * sizeof(double), "vectors", true));
    WW_TRY(const auto projected, take(call.inner * kVectors * sizeof(double), "projected", true));
    WW_TRY(output.sums, take(sizeof(double), "sums", true));
    call.vectors = address(vectors);
    call.projected = address(projected);
    call.squares = address(output.sums);
  }
  output.call = call;
  return {};
}

Status OracleCase::read_ols(const Instance& instance, const CheckRule& check, Output& output) {
  OlsCall call{};
  WW_TRY(const std::size_t design, argument_of(instance, check, "design"));
  WW_TRY(const std::size_t response, argument_of(instance, check, "response"));
  WW_TRY(call.rows, whole(instance, check, "rows"));
  WW_TRY(call.cols, whole(instance, check, "cols"));
  WW_TRY(call.forward, rule_number(instance, check, "forward"));
  WW_TRY(call.gradient, rule_number(instance, check, "gradient"));
  if (counts_[design] != call.rows * call.cols || counts_[response] != call.rows ||
      counts_[output.argument] != call.cols)
    return Error{"ols: rows and cols do not fit the buffers"};
  call.design = address(copies_[design]);
  call.response = address(copies_[response]);
  call.expected = address(expected_[output.argument]);
  WW_TRY(output.sums, take((2 * call.cols + 2) * sizeof(double), "sums", true));
  call.sums = address(output.sums);
  output.needs_expected = true;
  output.call = call;
  return {};
}

Status OracleCase::check_product(const ProductCall& call) {
  if (call.entries == 0) {
    return oracle_->launch("oracle_product_all", {oracle_->blocks_for(call.rows * call.cols), 1, 1},
                           call);
  }
  const auto blocks = [&](std::uint64_t rows) {
    return Dim3{oracle_->blocks_for(rows * kBlockThreads), 1, 1};
  };
  WW_CHECK(oracle_->launch("oracle_product_vectors",
                           {oracle_->blocks_for(call.cols * kVectors), 1, 1}, call));
  WW_CHECK(oracle_->launch("oracle_product_right", blocks(call.inner), call));
  WW_CHECK(oracle_->launch("oracle_product_entries", blocks(call.entries), call));
  return oracle_->launch("oracle_product_rows", blocks(call.rows), call);
}

Status OracleCase::check_output(Output output, device::BufferId got, std::uint64_t record,
                                std::uint64_t key) {
  if (output.sums >= 0) WW_CHECK(device_->clear(output.sums));
  std::visit(
      [&](auto& call) {
        call.got = device_->address(got);
        call.record = record;
      },
      output.call);
  const Dim3 grid{oracle_->blocks_for(counts_[output.argument]), 1, 1};
  if (auto* order = std::get_if<OrderCall>(&output.call)) {
    order->key = key;
    return oracle_->launch("oracle_order", grid, *order);
  }
  if (auto* product = std::get_if<ProductCall>(&output.call)) {
    product->key = key;
    return check_product(*product);
  }
  if (const auto* ols = std::get_if<OlsCall>(&output.call)) {
    WW_CHECK(oracle_->launch("oracle_ols_sums", {oracle_->blocks_for(ols->rows), 1, 1}, *ols));
    return oracle_->launch("oracle_ols_decide", {1, 1, 1}, *ols);
  }
  const auto& call = std::get<CompareCall>(output.call);
  if (call.squares != 0) {
    RowSquaresCall rows{.expected = call.expected,
                        .squares = call.squares,
                        .count = call.count,
                        .width = call.width,
                        .parts = (call.width + kRowPart - 1) / kRowPart,
                        .type = call.type,
                        .wide = call.wide,
                        .nonzero = call.nonzero,
                        .unused = 0};
    const std::uint64_t parts = (call.count + call.width - 1) / call.width * rows.parts;
    WW_CHECK(
        oracle_->launch("oracle_row_squares", {static_cast<std::uint32_t>(parts), 1, 1}, rows));
  }
  return oracle_->launch("oracle_compare", grid, call);
}

}  // namespace warpwright::verify
