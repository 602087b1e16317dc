"""jupyter_kernel_test, in full."""

import jupyter_kernel_test
import pytest

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


class HalfnoteWelcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "halfnote"
    support_iopub_welcome = True
