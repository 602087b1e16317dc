import io
import time


def main():
    start = time.perf_counter()
    b = io.StringIO()
    i = 0
    while i < 1_000_000:
        b.write(str(i))
        b.write(" ")
        i += 1
    print(b.tell(), time.perf_counter() - start)


main()
