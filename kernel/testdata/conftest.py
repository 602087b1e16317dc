"""pytest's part of the tests: which kernel they run on, and the fixtures."""

import os
import signal

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_core.paths import jupyter_data_dir

from cells import Cells
from client import Kernel


def pytest_addoption(parser):
    parser.addoption("--kernel", default="halfnote", help="the name of the kernelspec to test")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Nothing is skipped: jupyter_kernel_test skips what a kernel does not claim to have."""
    report = yield
    if report.skipped:
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session")
def kernel_name(request):
    return request.config.getoption("--kernel")


@pytest.fixture(scope="session")
def cells(kernel_name):
    return Cells(KernelSpecManager().get_kernel_spec(kernel_name).language)


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory):
    """No test reads or writes what belongs to the person who runs it, but kernelspecs are found."""
    paths = [os.environ.get("JUPYTER_PATH"), jupyter_data_dir()]
    os.environ["JUPYTER_PATH"] = os.pathsep.join(p for p in paths if p)
    for name in "HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR":
        os.environ[name] = str(tmp_path_factory.mktemp(name.lower()))
    for name in "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "JUPYTER_DATA_DIR":
        os.environ.pop(name, None)


@pytest.fixture(scope="session", autouse=True)
def hangups():
    """Kernels notice hangups under nohup, too: they would inherit that signals are ignored, but not
    that a handler does nothing."""
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.fixture(scope="module")
def shared(kernel_name):
    """One kernel for a file's tests that leave it as they find it."""
    k = Kernel(kernel_name)
    yield k
    k.close()


@pytest.fixture
def client(shared):
    c = shared.client()
    yield c
    c.close()
    shared.clients.remove(c)


@pytest.fixture
def start(kernel_name):
    """Starts kernels of the test's own."""
    started = []

    def start(**options):
        started.append(Kernel(kernel_name, **options))
        return started[-1]

    yield start
    for k in started:
        k.close()


@pytest.fixture
def kernel(start):
    return start()
