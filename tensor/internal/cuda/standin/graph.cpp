// Capture of streams into graphs, and their launch.
#include <unordered_map>

#include "stream.h"

namespace standin {

std::vector<std::shared_ptr<Graph>> captures;

static std::unordered_map<Graph *, std::shared_ptr<Graph>> graphs;

static std::shared_ptr<Graph> graph_of(void *g) {
	auto i = graphs.find(static_cast<Graph *>(g));
	return i == graphs.end() ? nullptr : i->second;
}

static void *keep(std::shared_ptr<Graph> g) {
	graphs[g.get()] = g;
	return g.get();
}

bool forbidden() {
	for (auto &g : captures) {
		if (g->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
		if (g->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && g->thread != std::this_thread::get_id()) continue;
		g->broken = true;
		return true;
	}
	return false;
}

}

using namespace standin;

API cuStreamBeginCapture(CUstream h, CUstreamCaptureMode mode) {
	ENTER;
	auto s = stream_of(h);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	if (s == current->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (s->capture) return CUDA_ERROR_ILLEGAL_STATE;
	auto g = std::make_shared<Graph>();
	g->origin = s.get();
	g->mode = mode;
	g->thread = std::this_thread::get_id();
	s->capture = g;
	captures.push_back(g);
	return CUDA_SUCCESS;
}

API cuStreamEndCapture(CUstream h, CUgraph *graph) {
	ENTER;
	*graph = nullptr;
	auto s = stream_of(h);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	auto g = s->capture;
	if (!g) return CUDA_ERROR_ILLEGAL_STATE;
	if (g->origin != s.get()) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	if (g->mode != CU_STREAM_CAPTURE_MODE_RELAXED && g->thread != std::this_thread::get_id())
		return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	bool apart = !g->apart.empty();
	for (Stream *o : g->apart) o->capture = nullptr;
	for (auto i = captures.begin(); i != captures.end(); ++i)
		if (*i == g) {
			captures.erase(i);
			break;
		}
	s->capture = nullptr;
	if (apart) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	if (g->broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	*graph = static_cast<CUgraph>(keep(g));
	return CUDA_SUCCESS;
}

API cuStreamIsCapturing(CUstream h, CUstreamCaptureStatus *status) {
	ENTER;
	auto s = stream_of(h);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	*status = !s->capture       ? CU_STREAM_CAPTURE_STATUS_NONE
		: s->capture->broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
							 : CU_STREAM_CAPTURE_STATUS_ACTIVE;
	return CUDA_SUCCESS;
}

API cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *) { return CUDA_SUCCESS; }

API cuGraphCreate(CUgraph *graph, unsigned) {
	ENTER;
	*graph = static_cast<CUgraph>(keep(std::make_shared<Graph>()));
	return CUDA_SUCCESS;
}

API cuGraphDestroy(CUgraph graph) {
	LOCKED;
	return graphs.erase(reinterpret_cast<Graph *>(graph)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Nodes are known by their number from 1 on.
API cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *n) {
	ENTER;
	auto g = graph_of(graph);
	if (!g) return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; nodes && i < *n && i < g->work.size(); i++) nodes[i] = reinterpret_cast<CUgraphNode>(&g->kinds[i]);
	*n = g->work.size();
	return CUDA_SUCCESS;
}

API cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *kind) {
	ENTER;
	*kind = *reinterpret_cast<CUgraphNodeType *>(node);
	return CUDA_SUCCESS;
}

// An executable graph is a copy of the graph.
static CUresult instantiate(CUgraphExec *exec, CUgraph graph) {
	auto g = graph_of(graph);
	if (!g) return CUDA_ERROR_INVALID_VALUE;
	*exec = static_cast<CUgraphExec>(keep(std::make_shared<Graph>(*g)));
	return CUDA_SUCCESS;
}

API cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long) {
	ENTER;
	return instantiate(exec, graph);
}

#undef cuGraphInstantiate
API cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *, char *, size_t) {
	ENTER;
	return instantiate(exec, graph);
}

API cuGraphExecDestroy(CUgraphExec exec) {
	LOCKED;
	return graphs.erase(reinterpret_cast<Graph *>(exec)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphUpload(CUgraphExec exec, CUstream) {
	ENTER;
	return graph_of(exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphLaunch(CUgraphExec exec, CUstream h) {
	ENTER;
	auto g = graph_of(exec);
	if (!g) return CUDA_ERROR_INVALID_VALUE;
	return enqueue(h, CU_GRAPH_NODE_TYPE_GRAPH, [g] {
		for (auto &w : g->work)
			if (CUresult r = w()) return r;
		return CUDA_SUCCESS;
	});
}
