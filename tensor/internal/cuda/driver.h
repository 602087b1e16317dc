// What gorgonia.org/cu has no functions for. Each makes the context current to its thread first, so
// that goroutines need not stay on one.
#ifndef HALFNOTE_DRIVER_H
#define HALFNOTE_DRIVER_H

#include <cuda.h>
#include <stddef.h>

// Of the library that finds the driver (shim/shim.c). 0 is success, 1000 no driver, all else what
// cuInit gave.
int halfnote_cuda_state(void);
const char *halfnote_cuda_why(void);

CUresult hn_launch(CUcontext ctx, CUfunction fn, unsigned bx, unsigned by, unsigned bz, unsigned tx,
	unsigned ty, unsigned tz, unsigned shared, CUstream stream, void *args);
CUresult hn_set_shared(CUcontext ctx, CUfunction fn, int bytes);

CUresult hn_alloc(CUcontext ctx, CUdeviceptr *p, size_t bytes);
CUresult hn_free(CUcontext ctx, CUdeviceptr p);
CUresult hn_memory(CUcontext ctx, size_t *unused, size_t *all);
CUresult hn_pinned(CUcontext ctx, void **p, size_t bytes);
CUresult hn_unpin(CUcontext ctx, void *p);

CUresult hn_set(CUcontext ctx, CUdeviceptr p, unsigned char value, size_t bytes, CUstream stream);
CUresult hn_from_host(CUcontext ctx, CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult hn_to_host(CUcontext ctx, void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult hn_to_peer(CUcontext ctx, CUdeviceptr to, CUcontext there, CUdeviceptr from, size_t bytes,
	CUstream stream);
CUresult hn_reach(CUcontext ctx, CUdevice device, CUcontext there, CUdevice other);

CUresult hn_wait(CUcontext ctx, CUstream stream);
CUresult hn_idle(CUcontext ctx, CUstream stream);
CUresult hn_event(CUcontext ctx, CUevent *e, unsigned flags);
CUresult hn_event_free(CUcontext ctx, CUevent e);
CUresult hn_record(CUcontext ctx, CUevent e, CUstream stream);
CUresult hn_follow(CUcontext ctx, CUstream stream, CUevent e);
CUresult hn_event_wait(CUcontext ctx, CUevent e);
CUresult hn_event_done(CUcontext ctx, CUevent e);
CUresult hn_elapsed(CUcontext ctx, float *ms, CUevent from, CUevent to);

// Graphs: what is put into a stream between begin and end is not done, but becomes a graph that can be
// launched again and again.
CUresult hn_begin(CUcontext ctx, CUstream stream);
CUresult hn_end(CUcontext ctx, CUstream stream, CUgraphExec *graph, int keep);
CUresult hn_launch_graph(CUcontext ctx, CUgraphExec graph, CUstream stream);
CUresult hn_graph_free(CUcontext ctx, CUgraphExec graph);

const char *hn_error_name(CUresult r);
const char *hn_error_text(CUresult r);

#endif
