"""The programs that run notebooks: nbclient and what is built on it, papermill, the console."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from client import DEADLINE


def tool(*args, cwd=None, stdin=None):
    command = [sys.executable, "-m", *args]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, input=stdin, timeout=300
    )


@pytest.fixture
def notebook(kernel_name, tmp_path):
    """Writes a notebook of cells."""

    def write(*cells, name="book.ipynb"):
        spec = KernelSpecManager().get_kernel_spec(kernel_name)
        nb = nbformat.v4.new_notebook()
        nb.metadata.kernelspec = dict(
            name=kernel_name, display_name=spec.display_name, language=spec.language
        )
        nb.cells = [nbformat.v4.new_code_cell(c) for c in cells]
        nbformat.write(nb, tmp_path / name)
        return tmp_path / name

    return write


def outputs(path):
    nb = nbformat.read(path, as_version=4)
    nbformat.validate(nb)
    return [c.outputs for c in nb.cells if c.cell_type == "code"]


@pytest.fixture
def good(notebook, cells):
    return notebook(cells("define"), cells("hello"), cells.word("kept"), cells("image"))


@pytest.fixture
def bad(notebook, cells):
    return notebook(cells("hello"), cells("fail"), cells("hello"), name="bad.ipynb")


def check_good(path):
    got = outputs(path)
    assert got[0] == []
    assert got[1][0].text == "hello, world\n"
    assert got[2][0].data["text/plain"] == "42"
    assert "image/png" in got[3][0].data


def test_kernelspec_list(kernel_name):
    run = tool("jupyter", "kernelspec", "list")
    assert kernel_name in run.stdout.split()


def test_execute(good):
    run = tool("jupyter", "execute", "--inplace", str(good))
    assert run.returncode == 0, run.stderr
    check_good(good)


def test_execute_error(bad, cells):
    run = tool("jupyter", "execute", str(bad))
    assert run.returncode != 0
    assert "sorry" in run.stderr


def test_nbconvert_html(good):
    run = tool("jupyter", "nbconvert", "--execute", "--to", "html", str(good))
    assert run.returncode == 0, run.stderr
    page = good.with_suffix(".html").read_text()
    assert "hello, world" in page
    assert "data:image/png;base64," in page


def test_nbconvert_error(bad):
    run = tool("jupyter", "nbconvert", "--execute", "--to", "html", str(bad))
    assert run.returncode != 0
    assert "sorry" in run.stderr


def test_nbconvert_allows_errors(bad):
    run = tool(
        "jupyter",
        "nbconvert",
        "--execute",
        "--allow-errors",
        "--to",
        "notebook",
        "--inplace",
        str(bad),
    )
    assert run.returncode == 0, run.stderr
    first, second, third = outputs(bad)
    assert second[0].output_type == "error"
    assert third[0].text == "hello, world\n"


@pytest.mark.ours
def test_script_runs_as_go(notebook, tmp_path, kernel_name):
    book = notebook(
        'import "strings"',
        "func twice(s string) string {\n\treturn strings.Repeat(s, 2)\n}",
        'word := twice("ha")',
        "fmt.Println(word)",
        "for i := range 2 {\n\tfmt.Println(i)\n}",
    )
    # executing fills in the language's details, which the export goes by
    assert tool("jupyter", "execute", "--inplace", str(book)).returncode == 0
    run = tool("jupyter", "nbconvert", "--to", "script", str(book))
    assert run.returncode == 0, run.stderr
    script = book.with_suffix(".go")
    binary = KernelSpecManager().get_kernel_spec(kernel_name).argv[0]
    run = subprocess.run([binary, "run", script], capture_output=True, text=True, timeout=DEADLINE)
    assert (run.returncode, run.stdout) == (0, "haha\n0\n1\n"), run.stderr


def test_papermill(good, tmp_path):
    out = tmp_path / "out.ipynb"
    run = tool("papermill", "--no-progress-bar", str(good), str(out))
    assert run.returncode == 0, run.stderr
    check_good(out)


def test_papermill_error(bad, tmp_path):
    out = tmp_path / "out.ipynb"
    run = tool("papermill", "--no-progress-bar", str(bad), str(out))
    assert run.returncode != 0
    assert "sorry" in run.stderr
    assert any(o.output_type == "error" for cell in outputs(out) for o in cell)


def test_nbclient(good, bad):
    nb = nbformat.read(good, as_version=4)
    NotebookClient(nb, timeout=DEADLINE).execute()
    with pytest.raises(CellExecutionError, match="sorry"):
        NotebookClient(nbformat.read(bad, as_version=4), timeout=DEADLINE).execute()


def test_nbclient_replays_updates(notebook, cells):
    nb = nbformat.read(notebook(cells("update")), as_version=4)
    NotebookClient(nb, timeout=DEADLINE).execute()
    shown = [o for o in nb.cells[0].outputs if o.output_type == "display_data"]
    assert len(shown) == 1


def test_nbclient_interrupts_after_a_timeout(notebook, cells):
    endless = cells("for ever")
    nb = nbformat.read(notebook(endless, cells("hello")), as_version=4)
    NotebookClient(
        nb,
        timeout_func=lambda cell: 2 if cell.source == endless else DEADLINE,
        interrupt_on_timeout=True,
        allow_errors=True,
    ).execute()
    assert nb.cells[1].outputs[0].text == "hello, world\n"


def test_console(kernel_name, cells):
    lines = [cells("define"), cells("hello"), cells.word("kept"), cells("fail"), cells("hello")]
    # The console prints what comes after a reply with the next cell, and asks a kernel only once
    # more whether a cell is whole when that has taken a second.
    script = "\n".join([*lines, cells("define"), ""])
    run = tool(
        "jupyter",
        "console",
        "--simple-prompt",
        "--kernel",
        kernel_name,
        f"--ZMQTerminalInteractiveShell.kernel_is_complete_timeout={DEADLINE}",
        stdin=script,
    )
    assert run.stdout.count("hello, world") == 2, run.stdout + run.stderr
    assert "42" in run.stdout
    assert "sorry" in run.stdout + run.stderr


@pytest.mark.ours
def test_logo(kernel_name):
    spec = KernelSpecManager().get_kernel_spec(kernel_name)
    files = {p.name for p in Path(spec.resource_dir).iterdir()}
    assert files >= {"kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}
    assert spec.display_name == "Go (halfnote)"
    assert spec.interrupt_mode == "message"
    assert shutil.which(spec.argv[0]) == spec.argv[0], "the kernelspec needs a path"
    assert not spec.env
