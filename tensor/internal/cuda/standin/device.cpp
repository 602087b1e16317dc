#include "device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "block.h"
#include "check.h"
#include "memory.h"
#include "stream.h"

namespace standin {

bool started;
std::recursive_mutex mutex;
thread_local Context *current;

static Context contexts[MaxDevices];

static long setting(const char *name, long otherwise) {
	const char *s = getenv(name);
	return s && *s ? strtol(s, nullptr, 10) : otherwise;
}

int device_count() {
	static const int n = int(std::clamp(setting("HALFNOTE_STANDIN_DEVICES", 1), 0l, long(MaxDevices)));
	return n;
}

int capability() {
	static const int cc = int(setting("HALFNOTE_STANDIN_CC", 90));
	return cc;
}

int driver_version() {
	static const int v = int(setting("HALFNOTE_STANDIN_VERSION", 13000));
	return v;
}

int most_shared() {
	switch (capability()) {
	case 75: return 64 << 10;
	case 86:
	case 89:
	case 120: return 99 << 10;
	case 80: return 163 << 10;
	}
	return MaxShared;
}

size_t memory_size() {
	static const size_t n = size_t(setting("HALFNOTE_STANDIN_MEMORY", 2l << 30));
	return n;
}

Context *context_of(int device) {
	Context &c = contexts[device];
	if (!c.legacy) {
		c.device = device;
		c.legacy = std::make_shared<Stream>();
		c.legacy->context = &c;
		c.legacy->flags = 0;
		c.legacy->priority = 0;
	}
	return &c;
}

bool may_reach(int device, int part) { return device == part || contexts[device].peers >> part & 1; }

static bool there(CUdevice d) { return d >= 0 && d < device_count(); }

}

using namespace standin;

API cuInit(unsigned) {
	LOCKED;
	if (!device_count()) return CUDA_ERROR_NO_DEVICE;
	reserve_memory();
	catch_faults();
	started = true;
	return CUDA_SUCCESS;
}

API cuDriverGetVersion(int *v) {
	*v = driver_version();
	return CUDA_SUCCESS;
}

API cuDeviceGetCount(int *n) {
	*n = device_count();
	return CUDA_SUCCESS;
}

API cuDeviceGet(CUdevice *d, int i) {
	if (!there(i)) return CUDA_ERROR_INVALID_DEVICE;
	*d = i;
	return CUDA_SUCCESS;
}

API cuDeviceGetName(char *name, int n, CUdevice d) {
	if (!there(d)) return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, n, "stand-in on the processor");
	return CUDA_SUCCESS;
}

API cuDeviceGetUuid(CUuuid *id, CUdevice d) {
	if (!there(d)) return CUDA_ERROR_INVALID_DEVICE;
	memset(id, d, sizeof *id);
	return CUDA_SUCCESS;
}

API cuDeviceTotalMem(size_t *n, CUdevice d) {
	if (!there(d)) return CUDA_ERROR_INVALID_DEVICE;
	*n = memory_size();
	return CUDA_SUCCESS;
}

API cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) {
	if (!there(d)) return CUDA_ERROR_INVALID_DEVICE;
	switch (int(a)) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = capability() / 10; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *v = capability() % 10; break;
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: *v = MaxThreads; break;
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *v = 64; break;
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *v = 0x7fffffff; break;
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *v = 65535; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *v = 48 << 10; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *v = most_shared(); break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *v = most_shared() + 1024; break;
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *v = 65536; break;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *v = WarpSize; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *v = 2; break; // few, so that grids wrap around
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *v = 2048; break;
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: *v = 32; break;
	case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *v = 1000000; break;
	case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: *v = 1000000; break;
	case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: *v = 64; break;
	case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *v = 1 << 20; break;
	case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
	case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
	case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
	case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
	case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED: *v = 1; break;
	default: *v = 0;
	}
	return CUDA_SUCCESS;
}

API cuDeviceCanAccessPeer(int *can, CUdevice from, CUdevice to) {
	if (!there(from) || !there(to)) return CUDA_ERROR_INVALID_DEVICE;
	*can = from != to;
	return CUDA_SUCCESS;
}

API cuDeviceGetP2PAttribute(int *v, CUdevice_P2PAttribute, CUdevice from, CUdevice to) {
	return cuDeviceCanAccessPeer(v, from, to);
}

API cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) {
	LOCKED;
	if (!started) return CUDA_ERROR_NOT_INITIALIZED;
	if (!there(d)) return CUDA_ERROR_INVALID_DEVICE;
	*c = reinterpret_cast<CUcontext>(context_of(d));
	return CUDA_SUCCESS;
}

API cuDevicePrimaryCtxRelease(CUdevice d) { return there(d) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
API cuDevicePrimaryCtxSetFlags(CUdevice d, unsigned) { return there(d) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

API cuDevicePrimaryCtxGetState(CUdevice d, unsigned *flags, int *active) {
	if (!there(d)) return CUDA_ERROR_INVALID_DEVICE;
	*flags = 0;
	*active = 1;
	return CUDA_SUCCESS;
}

API cuCtxCreate(CUcontext *c, unsigned, CUdevice d) {
	CUresult r = cuDevicePrimaryCtxRetain(c, d);
	if (!r) current = context_of(d);
	return r;
}

API cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }

API cuCtxSetCurrent(CUcontext c) {
	current = reinterpret_cast<Context *>(c);
	return CUDA_SUCCESS;
}

API cuCtxGetCurrent(CUcontext *c) {
	*c = reinterpret_cast<CUcontext>(current);
	return CUDA_SUCCESS;
}

API cuCtxPushCurrent(CUcontext c) { return cuCtxSetCurrent(c); }

API cuCtxPopCurrent(CUcontext *c) {
	if (c) cuCtxGetCurrent(c);
	current = nullptr;
	return CUDA_SUCCESS;
}

API cuCtxGetDevice(CUdevice *d) {
	if (!current) return CUDA_ERROR_INVALID_CONTEXT;
	*d = current->device;
	return CUDA_SUCCESS;
}

API cuCtxEnablePeerAccess(CUcontext c, unsigned) {
	ENTER;
	int other = reinterpret_cast<Context *>(c)->device;
	if (current->peers >> other & 1) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	if (other == current->device) return CUDA_ERROR_INVALID_DEVICE;
	current->peers |= 1u << other;
	return CUDA_SUCCESS;
}

API cuCtxDisablePeerAccess(CUcontext c) {
	ENTER;
	int other = reinterpret_cast<Context *>(c)->device;
	if (!(current->peers >> other & 1)) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	current->peers &= ~(1u << other);
	return CUDA_SUCCESS;
}
