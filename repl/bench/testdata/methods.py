import time


class Counter:
    def __init__(self):
        self.n = 0

    def add(self, x):
        self.n += x


def main():
    start = time.perf_counter()
    c = Counter()
    i = 0
    while i < 1_000_000:
        c.add(i)
        i += 1
    print(c.n, time.perf_counter() - start)


main()
