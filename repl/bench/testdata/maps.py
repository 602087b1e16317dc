import time


def main():
    start = time.perf_counter()
    squares = {}
    i = 0
    while i < 1_000_000:
        squares[i] = i * i
        i += 1
    print(len(squares), time.perf_counter() - start)


main()
