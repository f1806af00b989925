// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace warpwright::report {

std::string base64(std::string_view bytes);

/// The zlib form (RFC 1950), which browsers call "deflate".
std::string deflated(std::string_view bytes);

/// "sha256-...": how a Content-Security-Policy names an inline script or style it allows.
std::string csp_hash(std::string_view content);

/// Text for the inside of an element or of a quoted attribute.
std::string html_escaped(std::string_view text);

/// JSON text that may stand inside <script>: no character in it can end the element or open a
/// comment, whatever the strings say.
std::string script_safe(std::string text);

}  // namespace warpwright::report
