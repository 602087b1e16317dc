import time


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


start = time.perf_counter()
n = fib(32)
print(n, time.perf_counter() - start)
