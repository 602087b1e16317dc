"""When the process must die: the next kernel on the same connection file says why, and where."""

import pytest

pytestmark = pytest.mark.ours

CRASHES = {
    "out of memory": (  # the session does not know what a compiled function will make
        'strings.Join(slices.Repeat([]string{strings.Repeat("x", 1<<24)}, 1<<23), "")',
        "out of memory",
    ),
    "killed": (
        "p, err := os.FindProcess(os.Getpid())\np.Kill()\ntime.Sleep(time.Minute)",
        "",
    ),
}


@pytest.mark.parametrize("what", CRASHES)
def test_next_kernel_tells(kernel, cells, what):
    code, reason = CRASHES[what]
    c = kernel.client()
    c.execute(cells("define"))
    c.send_execute(code)
    assert kernel.ended() != 0
    kernel.restart()
    c = kernel.client()
    first = c.execute(cells("hello"))
    assert first.stdout == "hello, world\n"
    c.until(lambda: reason in _told(c) and code.splitlines()[0] in _told(c), "reason and cell")
    kernel.restart()  # telling once is enough
    c = kernel.client()
    c.execute(cells("hello"))
    assert _told(c) == ""


def test_ordinary_end_is_no_crash(kernel, cells):
    kernel.client().execute(cells("define"))
    kernel.restart()
    c = kernel.client()
    c.execute(cells("hello"))
    assert _told(c) == ""


def _told(c):
    said = [m["content"] for m in c.all_published() if m["header"]["msg_type"] == "stream"]
    return "".join(s["text"] for s in said if s["name"] == "stderr")
