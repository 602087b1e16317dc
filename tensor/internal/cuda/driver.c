//go:build cuda

#include "driver.h"

// IN makes the context current, and then calls the driver.
#define IN(ctx, call)                        \
	do {                                 \
		CUresult r = cuCtxSetCurrent(ctx); \
		return r ? r : (call);       \
	} while (0)

CUresult hn_launch(CUcontext ctx, CUfunction fn, unsigned bx, unsigned by, unsigned bz, unsigned tx,
	unsigned ty, unsigned tz, unsigned shared, CUstream stream, void *args)
{
	void *params[] = { args };
	IN(ctx, cuLaunchKernel(fn, bx, by, bz, tx, ty, tz, shared, stream, params, NULL));
}

CUresult hn_set_shared(CUcontext ctx, CUfunction fn, int bytes)
{
	IN(ctx, cuFuncSetAttribute(fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
}

CUresult hn_alloc(CUcontext ctx, CUdeviceptr *p, size_t bytes) { IN(ctx, cuMemAlloc(p, bytes)); }

CUresult hn_free(CUcontext ctx, CUdeviceptr p) { IN(ctx, cuMemFree(p)); }

CUresult hn_memory(CUcontext ctx, size_t *unused, size_t *all) { IN(ctx, cuMemGetInfo(unused, all)); }

CUresult hn_pinned(CUcontext ctx, void **p, size_t bytes)
{
	IN(ctx, cuMemHostAlloc(p, bytes, CU_MEMHOSTALLOC_PORTABLE));
}

CUresult hn_unpin(CUcontext ctx, void *p) { IN(ctx, cuMemFreeHost(p)); }

CUresult hn_set(CUcontext ctx, CUdeviceptr p, unsigned char value, size_t bytes, CUstream stream)
{
	IN(ctx, cuMemsetD8Async(p, value, bytes, stream));
}

CUresult hn_from_host(CUcontext ctx, CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	IN(ctx, cuMemcpyHtoDAsync(to, from, bytes, stream));
}

CUresult hn_to_host(CUcontext ctx, void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	IN(ctx, cuMemcpyDtoHAsync(to, from, bytes, stream));
}

CUresult hn_to_peer(CUcontext ctx, CUdeviceptr to, CUcontext there, CUdeviceptr from, size_t bytes,
	CUstream stream)
{
	IN(ctx, cuMemcpyPeerAsync(to, there, from, ctx, bytes, stream));
}

// hn_reach lets copies go straight to another GPU's memory. Where they cannot, the driver brings them
// by way of the host.
CUresult hn_reach(CUcontext ctx, CUdevice device, CUcontext there, CUdevice other)
{
	int can = 0;
	CUresult r = cuCtxSetCurrent(ctx);
	if (!r)
		r = cuDeviceCanAccessPeer(&can, device, other);
	if (r || !can)
		return r;
	r = cuCtxEnablePeerAccess(there, 0);
	return r == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? CUDA_SUCCESS : r;
}

CUresult hn_wait(CUcontext ctx, CUstream stream) { IN(ctx, cuStreamSynchronize(stream)); }

CUresult hn_idle(CUcontext ctx, CUstream stream) { IN(ctx, cuStreamQuery(stream)); }

CUresult hn_event(CUcontext ctx, CUevent *e, unsigned flags) { IN(ctx, cuEventCreate(e, flags)); }

CUresult hn_event_free(CUcontext ctx, CUevent e) { IN(ctx, cuEventDestroy(e)); }

CUresult hn_record(CUcontext ctx, CUevent e, CUstream stream) { IN(ctx, cuEventRecord(e, stream)); }

CUresult hn_follow(CUcontext ctx, CUstream stream, CUevent e)
{
	IN(ctx, cuStreamWaitEvent(stream, e, 0));
}

CUresult hn_event_wait(CUcontext ctx, CUevent e) { IN(ctx, cuEventSynchronize(e)); }

CUresult hn_event_done(CUcontext ctx, CUevent e) { IN(ctx, cuEventQuery(e)); }

CUresult hn_elapsed(CUcontext ctx, float *ms, CUevent from, CUevent to)
{
	IN(ctx, cuEventElapsedTime(ms, from, to));
}

// hn_begin lets all threads go on calling the driver meanwhile: goroutines change theirs.
CUresult hn_begin(CUcontext ctx, CUstream stream)
{
	IN(ctx, cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

// hn_end gives no graph where keep is 0.
CUresult hn_end(CUcontext ctx, CUstream stream, CUgraphExec *graph, int keep)
{
	CUgraph recorded = NULL;
	CUresult r = cuCtxSetCurrent(ctx);
	if (!r)
		r = cuStreamEndCapture(stream, &recorded);
	if (!r && keep)
		r = cuGraphInstantiateWithFlags(graph, recorded, 0);
	if (recorded)
		cuGraphDestroy(recorded);
	return r;
}

CUresult hn_launch_graph(CUcontext ctx, CUgraphExec graph, CUstream stream)
{
	IN(ctx, cuGraphLaunch(graph, stream));
}

CUresult hn_graph_free(CUcontext ctx, CUgraphExec graph) { IN(ctx, cuGraphExecDestroy(graph)); }

const char *hn_error_name(CUresult r)
{
	const char *s = NULL;
	return cuGetErrorName(r, &s) ? NULL : s;
}

const char *hn_error_text(CUresult r)
{
	const char *s = NULL;
	return cuGetErrorString(r, &s) ? NULL : s;
}
