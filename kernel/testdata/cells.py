"""The cells that the tests run, in the language of each kernel that they can be run on.

A test names a cell by what it does. $NAME in a cell is replaced by the keyword argument NAME.
"""

GO, PYTHON = "go", "python"

CELLS = {
    "hello": {GO: 'fmt.Println("hello, world")', PYTHON: 'print("hello, world")'},
    "print": {GO: 'fmt.Print("$TEXT")', PYTHON: 'print("$TEXT", end="")'},
    "stderr": {
        GO: 'fmt.Fprintln(os.Stderr, "to stderr")',
        PYTHON: 'import sys; print("to stderr", file=sys.stderr)',
    },
    "define": {GO: "kept := 42", PYTHON: "kept = 42"},
    "undefined": {GO: "fmt.Println(missing)", PYTHON: "print(missing)"},
    "fail": {GO: 'panic("sorry")', PYTHON: 'raise RuntimeError("sorry")'},
    "ask, fail": {
        GO: 'display.Input("now? "); panic("sorry")',
        PYTHON: 'input("now? "); raise RuntimeError("sorry")',
    },
    "hidden": {GO: "1 + 1;", PYTHON: "1 + 1;"},
    "for ever": {GO: "for {\n}", PYTHON: "while True:\n    pass"},
    "sleep": {
        GO: "time.Sleep($SECONDS * time.Second)",
        PYTHON: "import time; time.sleep($SECONDS)",
    },
    "hello, sleep": {
        GO: 'fmt.Println("hello, world"); time.Sleep($SECONDS * time.Second)',
        PYTHON: 'import time; print("hello, world", flush=True); time.sleep($SECONDS)',
    },
    "lines": {
        GO: "for i := range $COUNT {\n\tfmt.Println(i)\n}",
        PYTHON: "for i in range($COUNT):\n    print(i)",
    },
    "lines for ever": {
        GO: "for i := 0; ; i++ {\n\tfmt.Println(i)\n}",
        PYTHON: "import itertools\nfor i in itertools.count():\n    print(i)",
    },
    "displays": {
        GO: 'for i := range $COUNT {\n\tdisplay.Show(display.HTML(fmt.Sprintf("<b>%d</b>", i)))\n}',
        PYTHON: 'for i in range($COUNT):\n    display({"text/html": f"<b>{i}</b>",'
        ' "text/plain": str(i)}, raw=True)',
    },
    "one after the other": {
        GO: 'fmt.Println("one")\nfmt.Fprintln(os.Stderr, "two")\n'
        'display.Show(display.HTML("three"))\nfmt.Println("four")',
        PYTHON: 'import sys\nprint("one")\nprint("two", file=sys.stderr)\n'
        'display({"text/html": "three", "text/plain": "three"}, raw=True)\nprint("four")',
    },
    "big output": {
        GO: 'fmt.Print(strings.Repeat("x", $COUNT))',
        PYTHON: 'print("x" * $COUNT, end="")',
    },
    "big image": {
        GO: "display.Show(display.PNG(make([]byte, $COUNT)))",
        PYTHON: 'import base64\ndisplay({"image/png": base64.b64encode(bytes($COUNT)).decode(),'
        ' "text/plain": ""}, raw=True)',
    },
    "image": {
        GO: "display.Show(image.NewRGBA(image.Rect(0, 0, 2, 2)))",
        PYTHON: 'import base64\ndisplay({"image/png": base64.b64encode(bytes(8)).decode(),'
        ' "text/plain": ""}, raw=True)',
    },
    "clear": {
        GO: 'fmt.Println("gone")\ndisplay.Clear($WAIT)\nfmt.Println("here")',
        PYTHON: 'from IPython.display import clear_output\nprint("gone")\n'
        'clear_output(wait="$WAIT" == "true")\nprint("here")',
    },
    "update": {
        GO: "for range display.Progress(3) {\n" "\ttime.Sleep(300 * time.Millisecond)\n}",
        PYTHON: 'import time\nh = display({"text/plain": "0"}, raw=True, display_id=True)\n'
        'for i in range(3):\n    h.update({"text/plain": str(i)}, raw=True)',
    },
    "ask": {GO: 'display.Input("name? ")', PYTHON: 'input("name? ")'},
    "ask secretly": {
        GO: 'display.Password("password? ")',
        PYTHON: 'import getpass; getpass.getpass("password? ")',
    },
    "say late": {  # in a cell after this one
        GO: 'late := make(chan bool)\ngo func() {\n\t<-late\n\tfmt.Println("late")\n}()',
        PYTHON: "import threading\nlate = threading.Event()\n"
        "def say():\n    late.wait()\n    print('late')\n"
        "threading.Thread(target=say).start()",
    },
    "hello, now": {
        GO: 'close(late)\nfmt.Println("hello, world")',
        PYTHON: 'late.set()\nprint("hello, world")',
    },
    "to descriptor 1": {
        GO: 'out, err := os.OpenFile("/dev/stdout", os.O_WRONLY, 0)\n'
        'out.WriteString("raw\\n")\nout.Close()\nfmt.Println("after")',
        PYTHON: 'import os; os.write(1, b"raw\\n"); print("after")',
    },
    "to descriptor 2": {
        GO: 'out, err := os.OpenFile("/dev/stderr", os.O_WRONLY, 0)\n'
        'out.WriteString("raw\\n")\nout.Close()',
        PYTHON: 'import os; os.write(2, b"raw\\n");',
    },
    "last words": {  # asks the system to end the kernel while its output is still warm
        GO: 'for i := range 2000 {\n\tfmt.Println(i)\n}\nfmt.Println("last words")\n'
        'exec.Command("kill", "-$SIGNAL", fmt.Sprint(os.Getpid())).Run()\n'
        "time.Sleep(time.Minute)",
        PYTHON: "import os, signal, time\nfor i in range(2000):\n    print(i)\n"
        'print("last words", flush=True)\nos.kill(os.getpid(), signal.SIG$SIGNAL)\ntime.sleep(60)',
    },
    "names": {  # defines many names and documents none
        GO: "var (\n$NAMES\n)",
        PYTHON: "$NAMES",
    },
    "name": {GO: "\tname$I = $I", PYTHON: "name$I = $I"},
    "goroutines": {
        GO: "runtime.NumGoroutine()",
        PYTHON: "import threading; threading.active_count()",
    },
}

# What expressions are called and how their values are shown.
WORDS = {
    "kept": {GO: "kept", PYTHON: "kept"},
    "undefined name": {GO: "missing", PYTHON: "missing"},
    "error name of an undefined name": {GO: "CompileError", PYTHON: "NameError"},
    "error name of fail": {GO: "Panic", PYTHON: "RuntimeError"},
    "error name of an interrupt": {GO: "Interrupted", PYTHON: "KeyboardInterrupt"},
    "text": {GO: '"$TEXT"', PYTHON: "'$TEXT'"},
    "member prefix": {GO: "strings.ToUp", PYTHON: '"".uppe'},
    "member": {GO: "strings.ToUpper", PYTHON: "upper"},
    "complete": {GO: "x := 1", PYTHON: "x = 1"},
    "incomplete": {GO: "for i := range 3 {", PYTHON: "for i in range(3):"},
    "invalid": {GO: "x := )", PYTHON: "x = )"},
    "indent": {GO: "\t", PYTHON: "    "},
    "page": {GO: "?strings.ToUpper", PYTHON: "?print"},
    "next input": {GO: "%load $PATH", PYTHON: "%load $PATH"},
    "quit": {GO: "%quit", PYTHON: "quit"},
    "emoji, then prefix": {GO: 'é := "😀😀"; strings.ToUp', PYTHON: 'é = "😀😀"; "".uppe'},
    "language": {GO: "go", PYTHON: "python"},
}


class Cells:
    """The cells and words of one language."""

    def __init__(self, language):
        self.language = language

    def __call__(self, name, **values):
        return self._fill(CELLS[name][self.language], values)

    def word(self, name, **values):
        return self._fill(WORDS[name][self.language], values)

    def names(self, count):
        """A cell that defines name0, name1 and so on."""
        return self("names", NAMES="\n".join(self("name", I=i) for i in range(count)))

    @staticmethod
    def _fill(text, values):
        for key, value in values.items():
            text = text.replace("$" + key, str(value))
        return text
