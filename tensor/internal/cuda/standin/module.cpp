#include "module.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "device.h"

namespace standin {

static Entry *entries;

Entry::Entry(const char *name, const char *file, size_t bytes, void (*run)(const void *))
	: name(name), file(file), bytes(bytes), run(run), next(entries) {
	for (Entry *e = entries; e; e = e->next)
		if (!strcmp(e->name, name)) fprintf(stderr, "stand-in: %s and %s both have a kernel %s\n", e->file, file, name);
	entries = this;
}

static const Entry *entry_named(const std::string &name) {
	for (Entry *e = entries; e; e = e->next)
		if (name == e->name) return e;
	return nullptr;
}

struct Module {
	int device;
	std::map<std::string, Function> functions;
};

static std::unordered_map<Module *, std::unique_ptr<Module>> modules;
static std::unordered_map<Function *, bool> known;

Function *function_of(CUfunction f) {
	auto *p = reinterpret_cast<Function *>(f);
	return known.count(p) ? p : nullptr;
}

// An Image is what a fatbin or a file of PTX holds: the text of the PTX, and for which architectures
// there is code.
struct Image {
	std::string ptx;
	std::vector<int> code;
};

// What stands before the parts of a fatbin, and before each of them.
struct FatHeader {
	uint32_t magic;
	uint16_t version, header;
	uint64_t size;
};
struct PartHeader {
	uint16_t kind, version; // 1 is PTX, 2 is code
	uint32_t header;
	uint64_t size;
	uint32_t packed, unknown;
	uint16_t minor, major;
	uint32_t arch;
};

static Image opened(const void *data) {
	Image image;
	auto *fat = static_cast<const FatHeader *>(data);
	if (fat->magic != 0xba55ed50) {
		image.ptx = static_cast<const char *>(data);
		return image;
	}
	auto *at = static_cast<const char *>(data) + fat->header, *end = at + fat->size;
	while (at + sizeof(PartHeader) <= end) {
		PartHeader part;
		memcpy(&part, at, sizeof part);
		const char *body = at + part.header;
		if (part.kind == 1) image.ptx.assign(body, strnlen(body, part.size));
		if (part.kind == 2) image.code.push_back(int(part.arch));
		at = body + part.size;
	}
	return image;
}

// number returns the number after word in text, or otherwise.
static long number(const std::string &text, const char *word, long otherwise) {
	size_t at = text.find(word);
	return at == std::string::npos ? otherwise : strtol(text.c_str() + at + strlen(word), nullptr, 10);
}

// parameter returns how many bytes a parameter like .param .align 8 .b8 name[368] or .param .u64 name has.
static size_t parameter(const std::string &text) {
	size_t elements = number(text, "[", 1), dot = text.rfind(" .");
	while (dot + 2 < text.size() && !isdigit(static_cast<unsigned char>(text[dot + 2]))) dot++;
	return elements * strtoul(text.c_str() + dot + 2, nullptr, 10) / 8;
}

// shared_in returns how much of the module's shared memory a kernel's body names.
static size_t shared_in(const std::string &ptx, const std::string &body) {
	size_t all = 0;
	for (size_t at = 0; (at = ptx.find("\n.shared ", at)) != std::string::npos; at++) {
		std::string line = ptx.substr(at + 1, ptx.find(';', at) - at - 1);
		size_t bracket = line.find('['), from = line.rfind(' ') + 1;
		if (body.find(line.substr(from, bracket - from)) != std::string::npos) all += parameter(line);
	}
	return all;
}

// functions_in reads what PTX says about its kernels.
static std::map<std::string, Function> functions_in(const std::string &ptx) {
	std::map<std::string, Function> all;
	for (size_t at = 0; (at = ptx.find(".entry ", at)) != std::string::npos;) {
		size_t open = ptx.find('(', at), close = ptx.find(')', open), body = ptx.find('{', close);
		Function f = {};
		f.name = ptx.substr(at + 7, open - at - 7);
		while (!f.name.empty() && isspace(static_cast<unsigned char>(f.name.back()))) f.name.pop_back();
		std::string list = ptx.substr(open, close - open), tuning = ptx.substr(close, body - close);
		for (size_t p = list.find(".param"); p != std::string::npos;) {
			size_t next = list.find(".param", p + 6);
			f.bytes += parameter(list.substr(p, next == std::string::npos ? next : next - p));
			p = next;
		}
		f.most_threads = int(number(tuning, ".maxntid ", MaxThreads));
		for (size_t c = tuning.find(','); c != std::string::npos && tuning.find(".maxntid") < c; c = tuning.find(',', c + 1))
			f.most_threads *= int(std::max(1l, strtol(tuning.c_str() + c + 1, nullptr, 10)));
		f.shared = shared_in(ptx, ptx.substr(body, ptx.find("\n}", body) - body));
		f.most_dynamic = (48 << 10) - f.shared;
		all[f.name] = f;
		at = close;
	}
	return all;
}

// suits says whether the device can run an image: its own code of the same major and no later minor
// architecture, or PTX for one that is not later.
static CUresult suits(const Image &image) {
	int cc = capability();
	double version = 0;
	size_t at = image.ptx.find(".version ");
	if (at != std::string::npos) version = strtod(image.ptx.c_str() + at + 9, nullptr);
	if (image.ptx.empty()) return CUDA_ERROR_NO_BINARY_FOR_GPU;
	if (version == 0) return CUDA_ERROR_INVALID_IMAGE;
	// CUDA 13.0 has PTX 9.0, 12.0 had 8.0.
	int major = driver_version() / 1000, minor = driver_version() % 1000 / 10;
	if (version > major - 4 + minor / 10.0 + 0.01) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	for (int arch : image.code)
		if (arch / 10 == cc / 10 && arch <= cc) return CUDA_SUCCESS;
	return number(image.ptx, ".target sm_", 0) <= cc ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}

using namespace standin;

API cuModuleLoadData(CUmodule *m, const void *data) {
	ENTER;
	Image image = opened(data);
	if (CUresult r = suits(image)) return r;
	auto made = std::make_unique<Module>();
	made->device = current->device;
	made->functions = functions_in(image.ptx);
	*m = reinterpret_cast<CUmodule>(made.get());
	modules[made.get()] = std::move(made);
	return CUDA_SUCCESS;
}

API cuModuleLoadDataEx(CUmodule *m, const void *data, unsigned, CUjit_option *, void **) {
	return cuModuleLoadData(m, data);
}
API cuModuleLoadFatBinary(CUmodule *m, const void *data) { return cuModuleLoadData(m, data); }

API cuModuleUnload(CUmodule m) {
	ENTER;
	auto i = modules.find(reinterpret_cast<Module *>(m));
	if (i == modules.end()) return CUDA_ERROR_INVALID_HANDLE;
	for (auto &[name, f] : i->second->functions) known.erase(&f);
	modules.erase(i);
	return CUDA_SUCCESS;
}

// A kernel whose two builds differ is refused, for then tests would tell nothing about the GPU's.
API cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name) {
	ENTER;
	auto i = modules.find(reinterpret_cast<Module *>(m));
	if (i == modules.end()) return CUDA_ERROR_INVALID_HANDLE;
	auto j = i->second->functions.find(name);
	if (j == i->second->functions.end()) return CUDA_ERROR_NOT_FOUND;
	Function &f = j->second;
	f.entry = entry_named(name);
	f.device = i->second->device;
	if (!f.entry) {
		fprintf(stderr, "stand-in: kernel %s is in the PTX, and was not compiled for the processor\n", name);
		return CUDA_ERROR_NOT_FOUND;
	}
	if (f.bytes != f.entry->bytes) {
		fprintf(stderr, "stand-in: kernel %s takes %zu bytes in the PTX, and %zu as compiled for the processor\n", name, f.bytes,
			f.entry->bytes);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	known[&f] = true;
	*out = reinterpret_cast<CUfunction>(&f);
	return CUDA_SUCCESS;
}

API cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) { return CUDA_ERROR_NOT_FOUND; }
