#include "order.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace standin {

enum class Order { Forward, Reverse, Random };

static uint64_t seed;

static Order chosen() {
	const char *s = getenv("HALFNOTE_STANDIN_ORDER");
	if (!s || !*s || !strcmp(s, "forward")) return Order::Forward;
	if (!strcmp(s, "reverse")) return Order::Reverse;
	seed = strtoull(s, nullptr, 10) * 2 + 1;
	return Order::Random;
}

static const Order order = chosen();

static uint32_t random() {
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return uint32_t(seed >> 33);
}

// Random rounds begin anywhere and go on in equal steps, forward or backward.
Round::Round(long n) : n(n), left(n), at(0), step(1) {
	if (n < 2 || order == Order::Forward) return;
	if (order == Order::Reverse) {
		at = step = n - 1;
		return;
	}
	at = random() % n;
	do step = 1 + random() % (n - 1);
	while (std::gcd(step, n) != 1);
}

int rounds_of_warp() { return order == Order::Random ? 1 + random() % 4 : INT_MAX; }

}
