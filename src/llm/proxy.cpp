// SPDX-License-Identifier: Apache-2.0
#include "llm/proxy.h"

#include "base/text.h"

namespace warpwright::llm {

namespace {

std::string_view host_of(std::string_view url) {
  if (const auto scheme = url.find("://"); scheme != std::string_view::npos) {
    url.remove_prefix(scheme + 3);
  }
  url = url.substr(0, url.find_first_of("/?#"));
  if (const auto user = url.rfind('@'); user != std::string_view::npos) url.remove_prefix(user + 1);
  if (url.starts_with('[')) return url.substr(1, url.find(']') - 1);
  return url.substr(0, url.find(':'));
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// One entry of no_proxy: "*", a host, or a domain with or without its leading dot.
bool excludes(std::string_view entry, std::string_view host) {
  if (entry == "*" || entry == host) return true;
  while (entry.starts_with('.')) entry.remove_prefix(1);
  return !entry.empty() && (entry == host || (host.size() > entry.size() && host.ends_with(entry) &&
                                              host[host.size() - entry.size() - 1] == '.'));
}

bool is_excluded(std::string_view list, std::string_view host) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (excludes(trimmed(list.substr(0, comma)), host)) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

std::string first_of(std::initializer_list<std::string_view> names,
                     const ModelEnvironment& environment) {
  for (const auto name : names) {
    if (const auto value = environment.variable(name); value && !value->empty()) return *value;
  }
  return {};
}

}  // namespace

std::string choose_proxy(std::string_view url, std::string_view option,
                         const ModelEnvironment& environment) {
  if (option == "none") return {};
  if (!option.empty()) return std::string(option);
  const auto host = host_of(url);
  if (is_loopback(host)) return {};
  if (is_excluded(first_of({"no_proxy", "NO_PROXY"}, environment), host)) return {};
  if (url.starts_with("https://")) {
    return first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}, environment);
  }
  // HTTP_PROXY in capitals can be set by a remote client where CGI is in play; curl ignores it too.
  return first_of({"http_proxy", "all_proxy", "ALL_PROXY"}, environment);
}

std::string password_of(std::string_view proxy) {
  const auto scheme = proxy.find("://");
  if (scheme != std::string_view::npos) proxy.remove_prefix(scheme + 3);
  const auto at = proxy.rfind('@');
  if (at == std::string_view::npos) return {};
  const auto user = proxy.substr(0, at);
  const auto colon = user.find(':');
  return colon == std::string_view::npos ? std::string() : std::string(user.substr(colon + 1));
}

}  // namespace warpwright::llm
