// In the place of <cuda.h> where that is CUDA 13's: gorgonia.org/cu calls seven functions as CUDA 12 had
// them, under names that stand for newer versions of them since. Drivers have both.
#include_next <cuda.h>

#ifndef HALFNOTE_CUDA13_H
#define HALFNOTE_CUDA13_H
#if CUDA_VERSION >= 13000

#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges
#undef cuEventElapsedTime
#undef cuDeviceGetUuid

#define cuCtxCreate cuCtxCreate_v2

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuCtxCreate_v2(CUcontext *, unsigned, CUdevice);
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuGraphAddDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
CUresult cuEventElapsedTime(float *, CUevent, CUevent);
CUresult cuDeviceGetUuid(CUuuid *, CUdevice);
#ifdef __cplusplus
}
#endif

#endif
#endif
