// SPDX-License-Identifier: Apache-2.0
// Graphs that are built node by node. Each node's step is written down when the node is added,
// since its arguments may be gone later; who waits for whom is known when the graph is
// instantiated.
#include <algorithm>

#include "recorder.h"

namespace ww_recorder {
namespace {

struct Node;
struct BuiltGraph {
  std::vector<std::unique_ptr<Node>> nodes;
};
struct Node {
  BuiltGraph* graph = nullptr;
  std::string bytes;  ///< of its step; none: an empty node
  std::vector<Node*> after;
};

std::vector<std::unique_ptr<BuiltGraph>>& built_graphs() {
  static auto* all = new std::vector<std::unique_ptr<BuiltGraph>>;
  return *all;
}

BuiltGraph* built_graph(const void* handle) {
  for (const auto& graph : built_graphs())
    if (graph.get() == handle) return graph.get();
  return nullptr;
}

Node* node_of(const BuiltGraph& graph, const void* handle) {
  for (const auto& node : graph.nodes)
    if (node.get() == handle) return node.get();
  return nullptr;
}

/// The steps that a call queues in a stream that is captured for it alone.
template <class Call>
cudaError_t steps_of(Call call, std::string& bytes, std::size_t& count) {
  Streams& streams = state().streams;
  Stream& stream = streams.create(1, 0);
  streams.begin_capture(stream);
  const cudaError_t error = call(reinterpret_cast<cudaStream_t>(&stream));
  const Capture* capture = streams.end_capture(stream);
  stream.live = false;
  count = capture->timeline.steps().size();
  if (count == 1) bytes = capture->timeline.steps()[0].bytes;
  return error;
}

template <class Call>
cudaError_t add_node(cudaGraphNode_t* handle, cudaGraph_t where, const cudaGraphNode_t* after,
                     std::size_t after_count, const char* api, const void* caller, Call call) {
  BuiltGraph* graph = built_graph(where);
  if (graph == nullptr || handle == nullptr) return failed(cudaErrorInvalidValue);
  auto node = std::make_unique<Node>();
  node->graph = graph;
  for (std::size_t i = 0; i < after_count; ++i) {
    Node* other = node_of(*graph, after[i]);
    if (other == nullptr) return failed(cudaErrorInvalidValue);
    node->after.push_back(other);
  }
  std::size_t count = 0;
  const cudaError_t error = steps_of(call, node->bytes, count);
  if (error != cudaSuccess) return error;
  if (count > 1) unsupported(api, "a copy of several pieces in a graph", caller);
  *handle = reinterpret_cast<cudaGraphNode_t>(node.get());
  graph->nodes.push_back(std::move(node));
  return cudaSuccess;
}

/// Nodes so that each comes behind those that it waits for; fewer where some wait for each other.
std::vector<Node*> in_order(const BuiltGraph& graph) {
  std::vector<Node*> order;
  std::map<Node*, std::size_t> open;
  for (const auto& node : graph.nodes) open[node.get()] = node->after.size();
  std::vector<Node*> ready;
  for (const auto& node : graph.nodes)
    if (node->after.empty()) ready.push_back(node.get());
  for (std::size_t k = 0; k < ready.size(); ++k) {
    order.push_back(ready[k]);
    for (const auto& node : graph.nodes) {
      const auto times = std::count(node->after.begin(), node->after.end(), ready[k]);
      if (times == 0) continue;
      open[node.get()] -= static_cast<std::size_t>(times);
      if (open[node.get()] == 0) ready.push_back(node.get());
    }
  }
  return order;
}

struct Placed {
  std::uint32_t track = 0;
  Clock end;
};

/// A node goes on where the last of those that it waits for ended, if nobody else does.
std::uint32_t track_for(const Node& node, std::map<Node*, Placed>& placed,
                        std::map<std::uint32_t, Node*>& last, Timeline& timeline) {
  for (Node* before : node.after)
    if (last[placed[before].track] == before) return placed[before].track;
  return timeline.new_track();
}

}  // namespace

/// The graph as if it had been captured; null where nodes wait for each other.
Capture* instantiate(const void* handle) {
  const BuiltGraph* graph = built_graph(handle);
  if (graph == nullptr) return nullptr;
  const std::vector<Node*> order = in_order(*graph);
  if (order.size() != graph->nodes.size()) return nullptr;
  Capture& capture = state().streams.add_graph();
  std::map<Node*, Placed> placed;
  std::map<std::uint32_t, Node*> last;
  for (Node* node : order) {
    Placed& place = placed[node];
    for (Node* before : node->after) join(place.end, placed[before].end);
    if (node->bytes.empty()) continue;
    place.track = track_for(*node, placed, last, capture.timeline);
    last[place.track] = node;
    capture.timeline.add(place.track, place.end, node->bytes);
  }
  return &capture;
}

}  // namespace ww_recorder

using namespace ww_recorder;

WW_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  if (graph == nullptr) return failed(cudaErrorInvalidValue);
  built_graphs().push_back(std::make_unique<BuiltGraph>());
  *graph = reinterpret_cast<cudaGraph_t>(built_graphs().back().get());
  return cudaSuccess;
}

WW_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t count,
                                          const cudaKernelNodeParams* what) {
  const void* caller = WW_CALLER;
  if (what->kernelParams == nullptr)
    unsupported("cudaGraphAddKernelNode", "needs its arguments in kernelParams, not in extra",
                caller);
  return add_node(node, graph, after, count, "cudaGraphAddKernelNode", caller,
                  [&](cudaStream_t stream) {
                    return record_launch({what->func, what->gridDim, what->blockDim, dim3(1, 1, 1),
                                          what->sharedMemBytes, false, what->kernelParams, stream},
                                         caller);
                  });
}

WW_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* after, size_t count, void* to,
                                            const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add_node(
      node, graph, after, count, "cudaGraphAddMemcpyNode1D", WW_CALLER,
      [&](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

WW_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t count,
                                          const cudaMemcpy3DParms* what) {
  const void* caller = WW_CALLER;
  if (what->srcArray != nullptr || what->dstArray != nullptr || what->extent.depth > 1)
    unsupported("cudaGraphAddMemcpyNode",
                "copies of arrays and of several planes are not supported", caller);
  const auto begin = [](const cudaPitchedPtr& p, const cudaPos& at) {
    return static_cast<char*>(p.ptr) + at.y * p.pitch + at.x;
  };
  return add_node(
      node, graph, after, count, "cudaGraphAddMemcpyNode", caller, [&](cudaStream_t stream) {
        char* to = begin(what->dstPtr, what->dstPos);
        const char* from = begin(what->srcPtr, what->srcPos);
        if (what->extent.height <= 1)
          return cudaMemcpyAsync(to, from, what->extent.width, what->kind, stream);
        return cudaMemcpy2DAsync(to, what->dstPtr.pitch, from, what->srcPtr.pitch,
                                 what->extent.width, what->extent.height, what->kind, stream);
      });
}

WW_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t count,
                                          const cudaMemsetParams* what) {
  const void* caller = WW_CALLER;
  const unsigned byte = what->value & 255U;
  const unsigned size = what->elementSize;
  const unsigned repeated = size == 1 ? byte : size == 2 ? byte * 0x101U : byte * 0x1010101U;
  if ((size != 1 && size != 2 && size != 4) || repeated != what->value)
    unsupported("cudaGraphAddMemsetNode", "sets words whose bytes differ; use a kernel", caller);
  const size_t width = what->width * size;
  return add_node(
      node, graph, after, count, "cudaGraphAddMemsetNode", caller, [&](cudaStream_t stream) {
        const int value = static_cast<int>(byte);
        if (what->height <= 1) return cudaMemsetAsync(what->dst, value, width, stream);
        return cudaMemset2DAsync(what->dst, what->pitch, value, width, what->height, stream);
      });
}

WW_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                         const cudaGraphNode_t* after, size_t count) {
  return add_node(node, graph, after, count, "cudaGraphAddEmptyNode", WW_CALLER,
                  [](cudaStream_t) { return cudaSuccess; });
}

static cudaError_t add_dependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                    const cudaGraphNode_t* to, size_t count) {
  const BuiltGraph* graph = built_graph(handle);
  if (graph == nullptr) return failed(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    Node* before = node_of(*graph, from[i]);
    Node* behind = node_of(*graph, to[i]);
    if (before == nullptr || behind == nullptr) return failed(cudaErrorInvalidValue);
    behind->after.push_back(before);
  }
  return cudaSuccess;
}
#if CUDART_VERSION < 13000
WW_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, size_t count) {
  return add_dependencies(graph, from, to, count);
}
#else
WW_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                            size_t count) {
  return add_dependencies(graph, from, to, count);
}
#endif

WW_API cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  const BuiltGraph* graph = built_graph(handle);
  if (graph == nullptr || count == nullptr) return failed(cudaErrorInvalidValue);
  for (size_t i = 0; nodes != nullptr && i < std::min(*count, graph->nodes.size()); ++i)
    nodes[i] = reinterpret_cast<cudaGraphNode_t>(graph->nodes[i].get());
  *count = graph->nodes.size();
  return cudaSuccess;
}
