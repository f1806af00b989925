// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace warpwright::device {

/// A number for the content of a buffer: the sum of a mixed number per 32-bit word and its place
/// (of the bytes that make no whole word: one each). Who does not know the key cannot change the
/// content without changing the number, but for a chance of about 2^-64.
std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t key);

/// The same on a GPU: kernel "digest" with parameters (address, words, bytes behind them, key,
/// sum), all 64 bits wide. The sum is added to; blocks are one-dimensional, of whole warps.
std::string_view digest_ptx();

}  // namespace warpwright::device
