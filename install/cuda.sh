#!/usr/bin/env bash
# Builds halfnote-cuda, which computes on NVIDIA's GPUs, in the folder above this one. Needs Go, gcc
# and g++, but no GPU and no driver. Linux only, on x86-64 or arm64.
#
#   bash install/cuda.sh            all of it
#   bash install/cuda.sh parts      the kernels and libraries alone, for go build -tags cuda
#   bash install/cuda.sh standin    these, and the stand-in for the driver that the tests run on
#   bash install/cuda.sh env        prints what go build -tags cuda and go test -tags cuda need in the
#                                   environment: eval "$(bash install/cuda.sh env)"
#
# The CUDA compiler is that of a CUDA 12.8 or newer on this machine, where there is one: in CUDA_HOME,
# on the PATH or in /usr/local/cuda. Otherwise it is got from PyPI into a folder of its own (100 MB,
# 280 when unpacked), which needs Python 3 with pip or venv. HALFNOTE_CUDA_HOME names the CUDA to
# take, or own for that of PyPI.
#
# HALFNOTE_CUDA_ARCH=90 compiles for one architecture and PTX instead of all: a fast build, for tests.
set -euo pipefail
cd "$(dirname "$0")/.."

here=$PWD/tensor/internal/cuda
build=$here/build
archs=${HALFNOTE_CUDA_ARCH:-75 80 86 89 90 100 120}
jobs=$(getconf _NPROCESSORS_ONLN)

# kit holds what PyPI has: CUDA, and the older headers that gorgonia.org/cu compiles with. For a CUDA
# that was found it holds links to that.
kit=${XDG_CACHE_HOME:-$HOME/.cache}/halfnote/cuda-13.0.88
packages=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88
	nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cuda-runtime-cu12==12.9.79)

say() { printf '%s\n' "$*" >&2; }

fail() {
	say "install/cuda.sh: $*"
	exit 1
}

# machine looks for what the build needs besides CUDA.
machine() {
	[ "$(uname -s)" = Linux ] || fail "this builds on Linux, and here is $(uname -s)"
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) fail "CUDA is for x86_64 and aarch64, and here is $(uname -m)" ;;
	esac
	local program
	command -v go >/dev/null || fail "go is missing: https://go.dev/dl has it"
	for program in gcc g++; do
		command -v "$program" >/dev/null || fail "$program is missing; with Debian: apt install $program"
	done
}

# release prints the version of the CUDA in a folder, as 1208 for 12.8; nothing where it is not whole.
release() {
	[ -x "$1/bin/nvcc" ] && [ -f "$1/include/cuda.h" ] && [ -f "$1/include/cuda_fp16.h" ] || return 0
	"$1/bin/nvcc" --version | sed -n 's/.* release \([0-9]*\)\.\([0-9]*\),.*/\1 \2/p' | awk '{ print 100*$1 + $2 }'
}

# found looks for a CUDA on this machine, and links it into kit.
found() {
	local wish=${HALFNOTE_CUDA_HOME-} path root version
	[ "$wish" != own ] || return 0
	path=$(readlink -f "$(command -v nvcc)" || true)
	for root in "${wish:-${CUDA_HOME-}}" "${path%/bin/nvcc}" /usr/local/cuda; do
		version=$(release "$root")
		[ "${version:-0}" -lt 1208 ] || break
		[ -z "$wish" ] || fail "HALFNOTE_CUDA_HOME=$wish: a CUDA 12.8 or newer, with bin/nvcc and include, is not there"
		[ -z "$version" ] || say "CUDA $((version / 100)).$((version % 100)) in $root is not used: it takes 12.8 or newer"
		version=
	done
	[ -n "$version" ] || return 0
	kit=$build/cuda-$version
	mkdir -p "$kit/nvidia/cuda_runtime/include"
	ln -sfn "$(realpath "$root")" "$kit/nvidia/cu13"
	[ "$version" -lt 1300 ] || cp "$here/shim/cuda13.h" "$kit/nvidia/cuda_runtime/include/cuda.h"
}

# compiler gets the CUDA compiler and headers, unless they are there.
compiler() {
	if [ ! -x "$nvcc" ] || [ ! -d "$headers" ]; then
		local new
		room "$(dirname "$kit")" 500 "the CUDA compiler"
		mkdir -p "$(dirname "$kit")"
		new=$(mktemp -d "$kit.XXXXXX")
		# shellcheck disable=SC2064
		trap "rm -rf '$new'" EXIT
		download "$new" || fail "the CUDA compiler did not come; where there is no network, HALFNOTE_CUDA_HOME names a CUDA"
		rm -rf "$kit"
		mv "$new" "$kit"
		trap - EXIT
	fi
	version=$("$nvcc" --version | tail -1) || fail "$nvcc does not run"
}

# download gets the packages into a folder.
download() {
	local pip=(python3 -m pip) wheel
	command -v python3 >/dev/null || fail "python3 is missing, which gets the CUDA compiler; with Debian: apt install python3-venv"
	if ! "${pip[@]}" --version >/dev/null 2>&1; then
		python3 -m venv "$1/venv" >/dev/null 2>&1 || fail "python3 has neither pip nor venv; with Debian: apt install python3-venv"
		pip=("$1/venv/bin/python" -m pip)
	fi
	say "getting the CUDA compiler from PyPI (100 MB)"
	(
		cd "$1"
		"${pip[@]}" download -q --no-deps --only-binary :all: --disable-pip-version-check --no-cache-dir \
			-d wheels "${packages[@]}" >&2 || exit
		for wheel in wheels/*.whl; do python3 -m zipfile -e "$wheel" . || exit; done
		chmod +x nvidia/cu13/bin/* nvidia/cu13/nvvm/bin/*
		rm -r wheels
		rm -rf venv
	)
}

# room FOLDER MB WHAT asks for free space where FOLDER will be.
room() {
	local dir=$1 free
	while [ ! -d "$dir" ]; do dir=$(dirname "$dir"); done
	free=$(df -Pm "$dir" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$2" ] || fail "$3 takes $2 MB in $dir, where $free are free"
}

# newer OUT IN… asks whether OUT is there and no IN is younger.
newer() {
	local out=$1 in
	shift
	[ -e "$out" ] || return 1
	for in; do [ "$in" -nt "$out" ] && return 1; done
	return 0
}

# shim makes the library that stands for the driver's when the program is linked. Its folder has a name
# of its own for each content, by which go build knows that it must link again.
shim() {
	newer "$shim/libcuda.a" "$here"/shim/* && return
	rm -rf "$build"/shim-*
	mkdir -p "$shim"
	{
		echo "enum { NAMES = $(wc -l <"$here/shim/symbols.txt") };"
		echo 'static const char *const names[NAMES] = {'
		sed 's/.*/	"&",/' "$here/shim/symbols.txt"
		echo '};'
	} >"$shim/names.h"
	trampolines "$(uname -m)" >"$shim/trampolines.S"
	(
		cd "$shim"
		gcc -O2 -Wall -Werror -fPIC -I. -c "$here/shim/shim.c" -o shim.o
		gcc -fPIC -c trampolines.S -o trampolines.o
		ar rcs new.a shim.o trampolines.o
		mv new.a libcuda.a
	)
}

# trampolines prints the driver's functions for a machine: each jumps to where the table says.
trampolines() {
	echo '	.text'
	awk -v machine="$1" '{
		printf "	.globl %s\n	.type %s, %%function\n%s:\n", $1, $1, $1
		if (machine == "aarch64") {
			print "	adrp x16, halfnote_cuda_table"
			print "	add x16, x16, :lo12:halfnote_cuda_table"
			printf "	ldr x16, [x16, #%d]\n	br x16\n", 8*(NR-1)
		} else
			printf "	jmp *halfnote_cuda_table+%d(%%rip)\n", 8*(NR-1)
		printf "	.size %s, . - %s\n", $1, $1
	}' "$here/shim/symbols.txt"
	echo '	.section .note.GNU-stack,"",%progbits'
}

# kernel compiles one .cu to a fatbin of all architectures, uncompressed: the whole is compressed later.
# The PTX is for GPUs that are newer than these.
kernel() {
	local name=$1 start=$SECONDS arch gen=() ptx
	for arch in $archs; do gen+=(-gencode "arch=compute_$arch,code=sm_$arch"); done
	[[ " $archs " = *" 90 "* ]] && ptx=90 || ptx=$arch
	gen+=(-gencode "arch=compute_$ptx,code=compute_$ptx")
	if ! "$nvcc" -std=c++17 -O3 -fmad=false -Werror all-warnings -Xptxas -v --no-compress --threads "$each" \
		-fatbin "${gen[@]}" -o "$build/kernels/$name.fatbin.new" "$here/kernels/$name.cu" \
		>"$build/kernels/$name.log" 2>&1; then
		echo "kernels/$name.cu is not compiled:" >&2
		grep -v -e '^ptxas info' -e 'bytes stack frame' "$build/kernels/$name.log" >&2
		return 1
	fi
	mv "$build/kernels/$name.fatbin.new" "$build/kernels/$name.fatbin"
	echo "   $name: $((SECONDS - start)) s" >&2
}

# kernels compiles what has changed, and packs all.
kernels() {
	mkdir -p "$build/kernels"
	local todo=() cu name fatbin made="$version for $archs"
	[ "$(cat "$build/kernels/made" 2>/dev/null)" = "$made" ] || rm -f "$build"/kernels/*.fatbin
	echo "$made" >"$build/kernels/made"
	for fatbin in "$build"/kernels/*.fatbin; do
		[ -f "$here/kernels/$(basename "$fatbin" .fatbin).cu" ] || rm -f "$fatbin" "${fatbin%.fatbin}.log" "$build/kernels.zip"
	done
	for cu in "$here"/kernels/*.cu; do
		name=$(basename "$cu" .cu)
		newer "$build/kernels/$name.fatbin" "$cu" "$here"/kernels/*.cuh || todo+=("$name")
	done
	if [ ${#todo[@]} -gt 0 ]; then
		room "$build" 500 "compiling the kernels"
		say "compiling kernels for sm ${archs// /, }: ${todo[*]}"
		each=$(((jobs + ${#todo[@]} - 1) / ${#todo[@]}))
		export -f kernel
		export archs nvcc build here each
		printf '%s\n' "${todo[@]}" | xargs -P "$jobs" -I{} bash -euo pipefail -c 'kernel {}' ||
			fail "there are kernels that are not compiled"
	fi
	newer "$build/kernels.zip" "$build"/kernels/*.fatbin "$here"/pack/*.go && return
	report
	go run ./tensor/internal/cuda/pack "$build/kernels.zip" "$build"/kernels/*.fatbin
}

# report makes a table of what kernels take, from what ptxas said, and prints those that have fewer
# registers than they need.
report() {
	cat "$build"/kernels/*.log | awk '
		/Compiling entry function/ { split($0, part, "\047"); kernel = part[2]; arch = part[4] }
		/bytes stack frame/ { spill = $5 + $9 }
		/Used [0-9]+ registers/ {
			registers = shared = 0
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^registers/) registers = $(i-1)
				if ($i ~ /^smem/) shared = $(i-2)
			}
			printf "%-48s %-8s %9d %9d %9d\n", kernel, arch, registers, shared, spill
		}' | sort >"$build/kernels/rows"
	{
		printf '%-48s %-8s %9s %9s %9s\n' kernel machine registers shared spilled
		cat "$build/kernels/rows"
	} >"$build/kernels/report.txt"
	awk '$5 > 0 { print "   registers are spilled by", $1, "for", $2 ":", $5, "bytes" }' "$build/kernels/rows" >&2
	rm "$build/kernels/rows"
}

# host compiles one .cu for the processor: every access to memory calls the stand-in first, and 64 bytes
# behind each shared variable stay free, so that it sees what lies beyond.
host() {
	local name=$1
	local out=$to/$name
	g++ "${host_flags[@]}" -fno-gnu-unique -fdata-sections -fsanitize=thread,bounds -w \
		--param tsan-instrument-func-entry-exit=0 -I"$here/standin" -I"$kit/nvidia/cu13/include" \
		-x c++ -include cuda_host.h -S "$from/$name.cu" -o "$out.s"
	awk '{ print } /^\t\.size\t_ZZ/ { shared = 1 } shared && /^\t\.zero\t/ { print "\t.zero\t64"; shared = 0 }' "$out.s" >"$out.padded.s"
	g++ -c "$out.padded.s" -o "$out.o.new"
	rm "$out.s" "$out.padded.s"
	mv "$out.o.new" "$out.o"
}

# library compiles one of the stand-in's own files.
library() {
	g++ "${host_flags[@]}" -Wall -Werror -I"$headers" -I"$kit/nvidia/cu13/include" -I"$here/standin" \
		-c "$here/standin/$1.cpp" -o "$build/standin/$1.driver"
}

# standin makes a libcuda.so.1 that runs the kernels on the processor, and a libcublas.so.13. Tests have
# kernels from HALFNOTE_STANDIN_KERNELS in the place of those of the same names, and then the library in
# HALFNOTE_STANDIN_BUILD.
standin() {
	local from=${HALFNOTE_STANDIN_KERNELS:-$here/kernels} to=${HALFNOTE_STANDIN_BUILD:-$build/standin}
	local seen=() todo=() parts=() name
	host_flags=(-std=c++17 -O2 -g1 -fPIC -fvisibility=hidden -ffp-contract=off -DHALFNOTE_STANDIN)
	grep -qw avx2 /proc/cpuinfo && host_flags+=(-march=x86-64-v3)
	host_flags+=(${HALFNOTE_STANDIN_FLAGS-})
	mkdir -p "$to" "$build/standin"
	export -f host library
	export kit build here from to headers
	for name in cuda_host thread warp atomic number pipeline wmma; do seen+=("$here/standin/$name.h"); done
	for name in "$from"/*.cu; do
		name=$(basename "$name" .cu)
		parts+=("$to/$name.o")
		newer "$to/$name.o" "$from/$name.cu" "$from"/*.cuh "${seen[@]}" || todo+=("host $name")
	done
	[ "$from" = "$here/kernels" ] || for name in "$here"/kernels/*.cu; do
		name=$(basename "$name" .cu)
		[ -e "$from/$name.cu" ] || parts+=("$build/standin/$name.o")
	done
	[ ${#todo[@]} = 0 ] || echo "compiling kernels for the stand-in: ${todo[*]#host }" >&2
	for name in "$here"/standin/*.cpp; do
		name=$(basename "$name" .cpp)
		parts+=("$build/standin/$name.driver")
		newer "$build/standin/$name.driver" "$here/standin/$name.cpp" "$here"/standin/*.h || todo+=("library $name")
	done
	[ ${#todo[@]} = 0 ] || printf '%s\n' "${todo[@]}" |
		xargs -P "$jobs" -I{} bash -euo pipefail -c "$(declare -p host_flags); {}"
	newer "$to/libcuda.so.1" "${parts[@]}" || g++ -shared -Wl,-z,defs -o "$to/libcuda.so.1" "${parts[@]}" -lpthread -ldl
	newer "$build/standin/libcublas.so.13" "$here/standin/cublas/cublas.cpp" ||
		g++ "${host_flags[@]}" -Wall -Werror -shared -I"$headers" -I"$kit/nvidia/cu13/include" \
			"$here/standin/cublas/cublas.cpp" -o "$build/standin/libcublas.so.13" -ldl
}

environment() {
	echo "export CGO_ENABLED=1"
	echo "export CGO_CFLAGS='-O2 \"-I$headers\" \"-I$kit/nvidia/cu13/include\"'"
	echo "export CGO_LDFLAGS='\"-L$shim\"'"
}

# program builds halfnote-cuda.
program() {
	eval "$(environment)"
	say "building halfnote-cuda"
	go build -tags cuda -trimpath -ldflags '-s -w' -o halfnote-cuda.new .
	mv halfnote-cuda.new halfnote-cuda
	say "halfnote-cuda: $(($(wc -c <halfnote-cuda) >> 20)) MB, of which $(($(wc -c <"$build/kernels.zip") >> 10)) KB are kernels"
}

case "${1-}" in
"" | parts | standin | env) ;;
*) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac

found
nvcc=$kit/nvidia/cu13/bin/nvcc
headers=$kit/nvidia/cuda_runtime/include
shim=$build/shim-$(cat "$here"/shim/* | cksum | cut -d' ' -f1)
if [ "${1-}" = env ]; then
	environment
	exit
fi

machine
mkdir -p "$build"
exec 9>"$build/lock" # one at a time: tests of several packages begin with this
! command -v flock >/dev/null || flock 9
compiler
shim
kernels
case "${1-}" in
"") program ;;
standin) standin ;;
esac
