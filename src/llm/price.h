// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "llm/model.h"

namespace warpwright::llm {

/// US dollars per million tokens.
struct Price {
  double fresh = 0;
  double cache_read = 0;
  double cache_write = 0;
  double output = 0;

  bool operator==(const Price&) const = default;
};

/// A list price and the month it was noted; list prices change, and a user's own figure wins.
struct PriceRow {
  std::string_view service;
  std::string_view model;
  Price price;
  std::string_view as_of;
};

std::span<const PriceRow> price_rows();

/// The row of the model itself or of its dated snapshots ("NAME-2025-08-07", "NAME-20250929").
std::optional<Price> find_price(std::string_view service, std::string_view model);

double cost_usd(const Price& price, const Usage& usage);

}  // namespace warpwright::llm
