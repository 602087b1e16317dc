"""jupyter_kernel_test, in full."""

import functools

import jupyter_kernel_test
import pytest

from client import DEADLINE

pytestmark = pytest.mark.ours


class HalfnoteTests(jupyter_kernel_test.KernelTests):
    kernel_name = "halfnote"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'fmt.Println("hello, world")'
    code_stderr = 'fmt.Fprintln(os.Stderr, "test")'
    completion_samples = [
        {"text": "strings.ToUpperS", "matches": {"ToUpperSpecial"}},
        {"text": "switch 1 {\ncase 1:\n\tfallth", "matches": {"fallthrough"}},
        {"text": "os.Getwd", "matches": {"Getwd"}},
    ]
    complete_code_samples = [
        "1 + 1",
        "x := 1",
        'fmt.Println("hello, world")',
        "func f(x int) int {\n\treturn 2 * x\n}\n",
        "for i := range 3 {\n\tfmt.Println(i)\n}\n",
        "%who",
        "",
        "// a comment",
        "/* one */",
        "x := `a\nb`",
    ]
    incomplete_code_samples = [
        "func f() {",
        "x := `raw",
        "fmt.Println(",
        "for i := range 3 {\n\tfmt.Println(i)",
        "/* comment",
        "if true {",
        "x := []int{1,",
    ]
    invalid_code_samples = ["x := )", 'fmt.Println("hello)\n', "func func() {}"]
    code_page_something = "?strings.ToUpper"
    code_generate_error = 'panic("sorry")'
    code_execute_result = [
        {"code": "1 + 2", "result": "3"},
        {"code": '"hello" + "!"', "result": '"hello!"'},
        {"code": "[]int{1, 2, 3}", "result": "[]int{1, 2, 3}"},
        {"code": 'strings.Fields("a b")', "result": '[]string{"a", "b"}'},
        {"code": "math.MaxInt64", "result": "9223372036854775807"},
        {"code": 'display.HTML("<b>bold</b>")', "mime": "text/html", "result": "<b>bold</b>"},
    ]
    code_display_data = [
        {"code": 'display.Show(display.HTML("<b>bold</b>"))', "mime": "text/html"},
        {"code": "display.Show(image.NewRGBA(image.Rect(0, 0, 2, 2)))", "mime": "image/png"},
        {
            "code": 'display.Show(display.SVG(`<svg xmlns="http://www.w3.org/2000/svg"/>`))',
            "mime": "image/svg+xml",
        },
        {"code": 'display.Show(display.Markdown("*x*"))', "mime": "text/markdown"},
        {"code": 'display.Show(display.Latex("$x$"))', "mime": "text/latex"},
    ]
    code_history_pattern = "1 + 2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "strings.ToUpper"
    code_clear_output = "display.Clear(false)"

    @classmethod
    def setUpClass(cls):
        """What is owed may take its time; the suite gives some of it a tenth of a second."""
        super().setUpClass()
        for channel in cls.kc.shell_channel, cls.kc.iopub_channel:
            channel.get_msg = functools.partial(patiently, channel.get_msg)

    def flush_channels(self):
        """Reads up to the end of a request of its own; the suite reads until there is a pause."""
        request = self.kc.kernel_info()
        while self.kc.get_shell_msg()["parent_header"]["msg_id"] != request:
            pass
        state = ""
        while state != "idle":
            message = self.kc.get_iopub_msg()
            if message["parent_header"].get("msg_id") == request:
                state = message["content"]["execution_state"]


def patiently(get, timeout=None):
    return get(timeout=DEADLINE)


class HalfnoteWelcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "halfnote"
    support_iopub_welcome = True
