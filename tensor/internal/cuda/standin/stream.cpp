#include "stream.h"

#include <algorithm>
#include <unordered_map>

namespace standin {

static std::unordered_map<Stream *, std::shared_ptr<Stream>> streams;

// A driver takes about as much before a launch has to wait.
constexpr size_t Most = 1024;

CUresult Stream::run(uint64_t number) {
	while (done < number && !queue.empty()) {
		Item item = std::move(queue.front());
		queue.pop_front();
		for (Point &p : item.after) p.stream->run(p.number);
		if (!context->error) context->error = item.work();
		done++;
	}
	return context->error;
}

std::shared_ptr<Stream> stream_of(CUstream s) {
	if (!s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD) return current->legacy;
	auto i = streams.find(reinterpret_cast<Stream *>(s));
	return i == streams.end() || i->second->context != current ? nullptr : i->second;
}

static bool blocking(const Stream &s) { return !(s.flags & CU_STREAM_NON_BLOCKING); }

// before returns what a new item in s has to wait for: the legacy stream waits for all blocking
// streams, and they for it.
static std::vector<Point> before(Stream &s) {
	std::vector<Point> after;
	Context &c = *s.context;
	if (&s != c.legacy.get()) {
		if (blocking(s) && !c.legacy->queue.empty()) after.push_back({c.legacy, c.legacy->issued});
		return after;
	}
	for (auto &[p, o] : streams)
		if (o->context == &c && blocking(*o) && !o->queue.empty()) after.push_back({o, o->issued});
	return after;
}

CUresult enqueue(CUstream handle, CUgraphNodeType kind, Work work) {
	auto s = stream_of(handle);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	if (s->capture) {
		if (s->capture->broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
		s->capture->work.push_back(std::move(work));
		s->capture->kinds.push_back(kind);
		return CUDA_SUCCESS;
	}
	if (s == s->context->legacy)
		for (auto &g : captures)
			if (blocking(*g->origin) && g->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
				g->broken = true;
				return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
			}
	s->queue.push_back({std::move(work), before(*s)});
	s->issued++;
	if (s->queue.size() > Most) return s->run(s->done + Most / 2);
	return CUDA_SUCCESS;
}

std::vector<Point> everything() {
	std::vector<Point> all;
	for (auto &[p, s] : streams)
		if (!s->queue.empty()) all.push_back({s, s->issued});
	for (int i = 0; i < device_count(); i++) {
		auto &s = context_of(i)->legacy;
		if (!s->queue.empty()) all.push_back({s, s->issued});
	}
	return all;
}

CUresult drain_all(Context *c) {
	c->legacy->drain();
	for (auto &[p, s] : streams)
		if (s->context == c) s->drain();
	return c->error;
}

static CUresult create(CUstream *s, unsigned flags, int priority) {
	auto made = std::make_shared<Stream>();
	made->context = current;
	made->flags = flags;
	made->priority = priority;
	streams[made.get()] = made;
	*s = reinterpret_cast<CUstream>(made.get());
	return CUDA_SUCCESS;
}

// An Event is a point in a stream, and when it was reached.
struct Event {
	std::shared_ptr<Stream> stream;
	uint64_t number = 0;
	std::shared_ptr<Graph> capture;
	std::shared_ptr<timespec> time;
	unsigned flags = 0;
};

static std::unordered_map<Event *, std::unique_ptr<Event>> events;

static Event *event_of(CUevent e) {
	auto i = events.find(reinterpret_cast<Event *>(e));
	return i == events.end() ? nullptr : i->second.get();
}

static bool reached(const Event &e) { return !e.stream || e.stream->done >= e.number; }

static bool capturing(const std::shared_ptr<Graph> &g) { return std::find(captures.begin(), captures.end(), g) != captures.end(); }

}

using namespace standin;

API cuStreamCreate(CUstream *s, unsigned flags) {
	ENTER;
	return create(s, flags, 0);
}

API cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority) {
	ENTER;
	return create(s, flags, std::clamp(priority, -5, 0));
}

API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
	if (least) *least = 0;
	if (greatest) *greatest = -5;
	return CUDA_SUCCESS;
}

API cuStreamGetPriority(CUstream h, int *priority) {
	ENTER;
	auto s = stream_of(h);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	*priority = s->priority;
	return CUDA_SUCCESS;
}

API cuStreamGetFlags(CUstream h, unsigned *flags) {
	ENTER;
	auto s = stream_of(h);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	*flags = s->flags;
	return CUDA_SUCCESS;
}

API cuStreamDestroy(CUstream h) {
	LOCKED;
	if (!current) return CUDA_ERROR_INVALID_CONTEXT;
	auto s = stream_of(h);
	if (!s || !h) return CUDA_ERROR_INVALID_HANDLE;
	s->drain();
	streams.erase(s.get());
	return CUDA_SUCCESS;
}

API cuStreamSynchronize(CUstream h) {
	ENTER;
	auto s = stream_of(h);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	if (s->capture) {
		s->capture->broken = true;
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	for (Point &p : before(*s)) p.stream->run(p.number);
	return s->drain();
}

// A query does one piece of work, so that programs that ask until all is done come to an end.
API cuStreamQuery(CUstream h) {
	ENTER;
	auto s = stream_of(h);
	if (!s) return CUDA_ERROR_INVALID_HANDLE;
	if (s->capture) {
		s->capture->broken = true;
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	if (s->queue.empty()) return CUDA_SUCCESS;
	CUresult r = s->run(s->done + 1);
	return r ? r : CUDA_ERROR_NOT_READY;
}

API cuCtxSynchronize() {
	ENTER;
	for (auto &g : captures)
		if (g->origin->context == current) {
			g->broken = true;
			return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
		}
	return drain_all(current);
}

API cuLaunchHostFunc(CUstream h, CUhostFn f, void *data) {
	ENTER;
	return enqueue(h, CU_GRAPH_NODE_TYPE_HOST, [=] {
		f(data);
		return CUDA_SUCCESS;
	});
}

API cuEventCreate(CUevent *e, unsigned flags) {
	ENTER;
	auto made = std::make_unique<Event>();
	made->flags = flags;
	*e = reinterpret_cast<CUevent>(made.get());
	events[made.get()] = std::move(made);
	return CUDA_SUCCESS;
}

API cuEventDestroy(CUevent e) {
	LOCKED;
	return events.erase(reinterpret_cast<Event *>(e)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API cuEventRecord(CUevent h, CUstream hs) {
	ENTER;
	Event *e = event_of(h);
	auto s = stream_of(hs);
	if (!e || !s) return CUDA_ERROR_INVALID_HANDLE;
	auto time = std::make_shared<timespec>();
	CUresult r = enqueue(hs, CU_GRAPH_NODE_TYPE_EVENT_RECORD, [time] {
		clock_gettime(CLOCK_MONOTONIC, time.get());
		return CUDA_SUCCESS;
	});
	if (r) return r;
	e->stream = s;
	e->capture = s->capture;
	e->number = s->issued;
	e->time = time;
	return CUDA_SUCCESS;
}

API cuEventSynchronize(CUevent h) {
	ENTER;
	Event *e = event_of(h);
	if (!e) return CUDA_ERROR_INVALID_HANDLE;
	if (capturing(e->capture)) return CUDA_ERROR_CAPTURED_EVENT;
	return e->stream ? e->stream->run(e->number) : CUDA_SUCCESS;
}

API cuEventQuery(CUevent h) {
	ENTER;
	Event *e = event_of(h);
	if (!e) return CUDA_ERROR_INVALID_HANDLE;
	if (capturing(e->capture)) return CUDA_ERROR_CAPTURED_EVENT;
	if (reached(*e)) return CUDA_SUCCESS;
	CUresult r = e->stream->run(e->stream->done + 1);
	return r ? r : CUDA_ERROR_NOT_READY;
}

API cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
	ENTER;
	Event *a = event_of(from), *b = event_of(to);
	if (!a || !b || !a->time || !b->time || (a->flags | b->flags) & CU_EVENT_DISABLE_TIMING)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!reached(*a) || !reached(*b)) return CUDA_ERROR_NOT_READY;
	*ms = float((b->time->tv_sec - a->time->tv_sec) * 1e3 + (b->time->tv_nsec - a->time->tv_nsec) / 1e6);
	return CUDA_SUCCESS;
}

API cuStreamWaitEvent(CUstream hs, CUevent h, unsigned) {
	ENTER;
	Event *e = event_of(h);
	auto s = stream_of(hs);
	if (!e || !s) return CUDA_ERROR_INVALID_HANDLE;
	if (!e->stream) return CUDA_SUCCESS;
	if (capturing(e->capture)) { // the stream joins the capture, or comes back to it
		if (!s->capture) {
			s->capture = e->capture;
			e->capture->apart.insert(s.get());
		} else if (s->capture != e->capture) {
			return CUDA_ERROR_STREAM_CAPTURE_MERGE;
		} else if (s != e->stream) {
			e->capture->apart.erase(e->stream.get());
		}
		return CUDA_SUCCESS;
	}
	if (s->capture) {
		s->capture->broken = true;
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	}
	auto after = before(*s);
	after.push_back({e->stream, e->number});
	s->queue.push_back({[] { return CUDA_SUCCESS; }, std::move(after)});
	s->issued++;
	return CUDA_SUCCESS;
}
