// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "llm/make_model.h"

namespace warpwright::llm {

/// The proxy for a URL: the option's own, or what the environment says (https_proxy, HTTPS_PROXY,
/// http_proxy, all_proxy, ALL_PROXY, no_proxy). Loopback addresses never go through a proxy of
/// the environment. Empty: none.
std::string choose_proxy(std::string_view url, std::string_view option,
                         const ModelEnvironment& environment);

/// "secret" of "http://user:secret@host"; empty when there is none.
std::string password_of(std::string_view proxy);

}  // namespace warpwright::llm
