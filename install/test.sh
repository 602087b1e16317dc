#!/usr/bin/env bash
# Runs every check of the project and prints a line for each. Needs Go; for the notebook checks also
# Python 3 with venv, which is installed on Debian when run as root.
#
#   bash install/test.sh           the checks that every change must pass, within half an hour
#   bash install/test.sh --full    the long ones too: race detector, fuzzing
set -euo pipefail
cd "$(dirname "$0")/.."

full=false
case "${1-}" in
"") ;;
--full) full=true ;;
*) echo "usage: bash install/test.sh [--full]" >&2; exit 2 ;;
esac

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
python_packages="nbformat==5.10.4"
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
	echo "   js/wasm (session, tensor, amp)"
	GOOS=js GOARCH=wasm go build ./repl ./tensor/... ./amp/...
}

# python makes the virtual environment that the notebook checks use.
python() {
	if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
		if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
			apt-get update -q && apt-get install -y -q python3 python3-venv || return 1
		else
			echo "the notebook checks need Python 3 with venv (Debian: python3 python3-venv)" >&2
			return 1
		fi
	fi
	# shellcheck disable=SC2086
	python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q $python_packages
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
		$(go list ./... | grep -v -e '^halfnote$' -e '/repl$' -e '/repl/emit$' -e '/notebooks$')
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
step "go test" go test ./...
step "cross builds" cross_build
step "build" env CGO_ENABLED=0 go build -o "$work/halfnote" .
step "Python for the notebook checks" python
step "notebooks" notebooks
if $full; then
	step "go test -race" race
	step "fuzz" fuzz
fi
printf '%d passed, 0 failed\n' "$passed"
