// The cells that lab.mjs runs, in the language of each kernel that it can be run on.

const go = {
  hello: 'fmt.Println("hello, world")',
  result: "6 * 7",
  define: "kept := 42",
  kept: "kept",
  prefix: "strings.To",
  member: "ToUpper",
  unique: "strings.ToUpperS",
  uniqueCompleted: "strings.ToUpperSpecial",
  known: "strings.ToUpper",
  help: /func strings\.ToUpper\(s string\) string[^]*upper case/,
  error: "x := 1\nfmt.Println(missing)",
  errorText: /cell 1:2:13: undefined: missing[^]*fmt\.Println\(missing\)[^]*\^~~~/,
  picture: `p := plot.New()
l, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
p.Add(l)
p`,
  live: `train, test := data.Digits()
model := nn.NewSequential(nn.NewLinear(64, 16), nn.NewReLU(), nn.NewLinear(16, 10))
opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.1})
scaler := amp.NewGradScaler(amp.ScalerConfig{GrowthInterval: 10})
display.Live(monitor.Watch(scaler, opt))
for {
	for x, y := range train.Batches(128) {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() { loss = nn.CrossEntropy(model.Forward(x), y) })
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
		time.Sleep(40 * time.Millisecond)
	}
}`,
  ask: 'name, err := display.Input("name? ")\nfmt.Println("hello,", name)',
  endless: "for {\n}",
  interrupted: /interrupted/i,
  forgotten: /undefined: kept/,
}

const python = {
  hello: 'print("hello, world")',
  result: "6 * 7",
  define: "kept = 42",
  kept: "kept",
  prefix: "import string; string.ca",
  member: "capwords",
  unique: "import string; string.capw",
  uniqueCompleted: "import string; string.capwords",
  known: "print",
  help: /Prints the values/,
  error: "x = 1\nprint(missing)",
  errorText: /name 'missing' is not defined/,
  picture: `from IPython.display import SVG
SVG('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="50">'
    '<rect width="9" height="9"/></svg>')`,
  live: `import time
def show(i):
    rect = f'<rect width="{i}" height="9"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="50">{rect}</svg>'
    return {"image/svg+xml": svg, "text/plain": str(i)}
h = display(show(0), raw=True, display_id=True)
for i in range(10**6):
    time.sleep(0.2)
    h.update(show(i % 99), raw=True)`,
  ask: 'print("hello,", input("name? "))',
  endless: "while True:\n    pass",
  interrupted: /KeyboardInterrupt/,
  forgotten: /NameError/,
}

export function cellsOf(language) {
  return { go, python }[language]
}
