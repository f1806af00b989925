// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright {

std::string_view trimmed(std::string_view text);

/// Lines without their ends; "\r\n" and "\n" both end one.
std::vector<std::string_view> lines_of(std::string_view text);

/// Foreign bytes made safe to store and show: damaged UTF-8 becomes U+FFFD, NUL and other control
/// characters except tab and newline are dropped, CRLF becomes LF.
std::string clean_utf8(std::string_view bytes);

/// At most max_bytes, cut at a character boundary, with a note of what was left out.
std::string shortened(std::string_view text, std::size_t max_bytes);

}  // namespace warpwright
