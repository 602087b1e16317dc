"""interrupt_request, and SIGINT from old clients."""

import os
import signal


def interrupted(client, cells, e):
    assert client.interrupt().status == "ok"
    assert client.finish(e).status == "error"
    assert e.error["ename"] == cells.word("error name of an interrupt")


def test_endless_loop(client, cells):
    client.execute(cells("define"))
    e = client.send_execute(cells("for ever"))
    client.until(lambda: e.of_type("execute_input"), "execute_input")
    interrupted(client, cells, e)
    assert client.execute(cells.word("kept")).result == "42"


def test_sleep(client, cells):
    e = client.send_execute(cells("hello, sleep", SECONDS=3600))
    client.until(lambda: e.stdout, "output")
    interrupted(client, cells, e)


def test_heavy_output_fifty_times(client, cells):
    client.execute(cells("define"))
    for _ in range(50):
        e = client.send_execute(cells("lines for ever"))
        client.until(lambda: e.stdout, "output")
        interrupted(client, cells, e)
        numbers = e.stdout[:10_000].split("\n")[:-1]
        del client.exchanges[e.id]
        assert numbers == [str(i) for i in range(len(numbers))]
    assert client.execute(cells.word("kept")).result == "42"


def test_queue_is_aborted(client, cells):
    e = client.send_execute(cells("for ever"))
    waiting = client.send_execute(cells("hello"))
    client.until(lambda: e.of_type("execute_input"), "execute_input")
    client.arrived()
    interrupted(client, cells, e)
    assert client.finish(waiting).status == "aborted"


def test_idle_kernel(client, cells):
    for _ in range(3):
        assert client.interrupt().status == "ok"
    assert client.execute(cells("hello")).stdout == "hello, world\n"


def test_sigint(shared, client, cells):
    e = client.send_execute(cells("for ever"))
    client.until(lambda: e.of_type("execute_input"), "execute_input")
    os.kill(shared.pid, signal.SIGINT)
    assert client.finish(e).error["ename"] == cells.word("error name of an interrupt")
    assert client.execute(cells("hello")).status == "ok"


def test_by_the_manager(shared, client, cells):
    e = client.send_execute(cells("for ever"))
    client.until(lambda: e.of_type("execute_input"), "execute_input")
    shared.manager.interrupt_kernel()
    assert client.finish(e).error["ename"] == cells.word("error name of an interrupt")


def test_by_another_client(shared, client, cells):
    other = shared.client()
    e = client.send_execute(cells("for ever"))
    client.until(lambda: e.of_type("execute_input"), "execute_input")
    assert other.interrupt().status == "ok"
    assert client.finish(e).status == "error"
