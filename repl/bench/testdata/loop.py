import time


def main():
    start = time.perf_counter()
    total = 0
    i = 0
    while i < 5_000_000:
        total += i & 7
        i += 1
    print(total, time.perf_counter() - start)


main()
