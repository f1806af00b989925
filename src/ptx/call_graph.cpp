// SPDX-License-Identifier: Apache-2.0
#include "ptx/call_graph.h"

#include <unordered_map>

namespace warpwright::ptx {
namespace {

using Index = std::unordered_map<std::string_view, std::size_t>;

struct Edges {
  std::vector<std::size_t> direct;
  bool indirect = false;
};

/// Who is called by this statement, and whose address it uses.
void scan(const Statement& s, const Index& index, Edges& edges, std::vector<bool>& taken) {
  const bool calls = s.ins.parts[0] == "call";
  bool callee_seen = false;
  for (const Operand& o : s.ins.operands) {
    if (o.kind != Operand::Kind::name) continue;
    const auto it = index.find(o.name);
    if (calls && !callee_seen) {
      callee_seen = true;
      if (it != index.end())
        edges.direct.push_back(it->second);
      else if (o.name.starts_with('%'))
        edges.indirect = true;
    } else if (it != index.end()) {
      taken[it->second] = true;
    }
  }
}

/// Whether a function can be reached from itself.
bool reaches_itself(std::size_t start, const std::vector<Edges>& edges,
                    const std::vector<bool>& taken) {
  std::vector<bool> seen(edges.size(), false);
  std::vector<std::size_t> open{start};
  while (!open.empty()) {
    const Edges& e = edges[open.back()];
    open.pop_back();
    std::vector<std::size_t> next = e.direct;
    for (std::size_t i = 0; e.indirect && i < taken.size(); ++i)
      if (taken[i]) next.push_back(i);
    for (const std::size_t to : next) {
      if (to == start) return true;
      if (seen[to]) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return false;
}

}  // namespace

std::int64_t defined_function(const Ast& ast, std::string_view name) {
  for (std::size_t i = 0; i < ast.functions.size(); ++i)
    if (ast.functions[i].has_body && ast.functions[i].name == name)
      return static_cast<std::int64_t>(i);
  return -1;
}

CallGraph call_graph(const Ast& ast) {
  Index index;
  for (std::size_t i = 0; i < ast.functions.size(); ++i)
    if (ast.functions[i].has_body && !ast.functions[i].is_entry)
      index.emplace(ast.functions[i].name, i);
  CallGraph g;
  g.recursive.resize(ast.functions.size());
  g.taken.resize(ast.functions.size());
  if (index.empty()) return g;
  std::vector<Edges> edges(ast.functions.size());
  for (std::size_t i = 0; i < ast.functions.size(); ++i)
    for (const Statement& s : ast.functions[i].body)
      if (s.kind == Statement::Kind::instruction) scan(s, index, edges[i], g.taken);
  for (const Variable& v : ast.variables)
    for (const Variable::Pointer& p : v.pointers)
      if (const auto it = index.find(p.symbol); it != index.end()) g.taken[it->second] = true;
  for (std::size_t i = 0; i < ast.functions.size(); ++i) {
    g.recursive[i] = ast.functions[i].has_body && reaches_itself(i, edges, g.taken);
    g.any = g.any || g.recursive[i] || g.taken[i];
  }
  return g;
}

}  // namespace warpwright::ptx
