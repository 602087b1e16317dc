#!/usr/bin/env bash
# Checks halfnote on a machine with an NVIDIA GPU, which needs neither Go nor CUDA nor a network:
#
#   bash install/gpu-check.sh pack DIR     here: puts this script and gpu-check.tar.xz into DIR
#   bash DIR/gpu-check.sh                  there: checks all, in at most 4 minutes, and prints a table
#
#   bash install/gpu-check.sh files DIR    puts the files into DIR without packing them
#
# What kernels give on the stand-in for the driver is recorded here, and the GPU is compared with it
# there. Besides, kernels compute with random numbers that are others in each run: the table says which
# HALFNOTE_SEED has them come again. LOGS=DIR keeps what the checks print. Comparisons with PyTorch are
# made where TORCH_PYTHON, or python3, has torch. With HALFNOTE_LIBCUDA naming the stand-in all of it
# runs on that, which is slow: figures are then of no meaning, and taken of a few numbers.
set -euo pipefail

tests=(tensor/internal/cuda tensor tensor/nn tensor/optim tensor/dist amp amp/bench)

# kernels NAME… prints the flags of the tests of kernels, without those named and those that compile.
kernels() {
	local IFS='|'
	echo "-test.run=^TestCUDA -test.skip=^TestCUDA(PlantedFaults${*:+|$*})"
}
unrecorded=(Record Orders Drivers Parameters Garbage OutOf Pool Transfer) # which give no results

# files builds the programs and copies what the tests read.
files() {
	local to=$1 package
	cd "$(dirname "${BASH_SOURCE[0]}")/.."
	mkdir -p "$to"
	to=$(realpath "$to")
	bash install/cuda.sh standin
	eval "$(bash install/cuda.sh env)"
	for package in "${tests[@]}"; do
		echo "building the tests of $package" >&2
		mkdir -p "$to/$package"
		go test -c -tags cuda -trimpath -ldflags '-s -w' -o "$to/$package/test" "./$package"
		cp "$package"/*.go "$to/$package" # some tests read them
		[ ! -d "$package/testdata" ] || cp -r "$package/testdata" "$to/$package"
	done
	mkdir -p "$to/tensor/internal/cuda/build"
	cp -r tensor/internal/cuda/kernels "$to/tensor/internal/cuda"
	cp -r tensor/internal/device "$to/tensor/internal"
	echo "recording what kernels give on the stand-in" >&2
	(
		unset HALFNOTE_TEST_GPU HALFNOTE_SEED
		export HALFNOTE_LIBCUDA=$PWD/tensor/internal/cuda/build/standin/libcuda.so.1
		cd "$to/tensor/internal/cuda"
		./test $(kernels "${unrecorded[@]}") -record "$to/standin" >"$to/log" || { cat "$to/log" >&2; exit 1; }
		rm "$to/log"
	)
	echo "building halfnote-cuda and its benchmarks" >&2
	go build -tags cuda -trimpath -ldflags '-s -w' -o "$to/bench" ./amp/bench
	go build -tags cuda -trimpath -ldflags '-s -w' -o "$to/halfnote-cuda" .
	cp go.mod notebooks/01-first-loop.ipynb "$to" # tests look for the first one's folder
	cp install/gpu-check.sh "$to"
}

pack() {
	local to=$1 work
	mkdir -p "$to"
	to=$(realpath "$to")
	work=$(mktemp -d)
	# shellcheck disable=SC2064
	trap "rm -rf '$work'" EXIT
	files "$work"
	echo "packing" >&2
	# The programs have much in common, and 192 MiB is how far back it is seen.
	tar -C "$work" --sort=name --owner=0 --group=0 -c . | xz -6 --lzma2=preset=6,dict=192MiB >"$to/gpu-check.tar.xz"
	cp install/gpu-check.sh "$to"
	du -h "$to/gpu-check.tar.xz" >&2
}

case "${1-}" in
pack | files)
	[ $# = 2 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
	"$1" "$2"
	exit
	;;
"") ;;
*) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logs=${LOGS:-$work/logs}
mkdir -p "$logs"
logs=$(realpath "$logs")
if [ -f gpu-check.tar.xz ]; then
	mkdir "$work/files"
	tar -C "$work/files" -xJf gpu-check.tar.xz
	cd "$work/files"
fi
here=$PWD
python=${TORCH_PYTHON:-python3}
seed=${HALFNOTE_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
unset HALFNOTE_SEED
export HOME=$work JUPYTER_DATA_DIR=$work/jupyter GOMAXPROCS=${GOMAXPROCS:-$(getconf _NPROCESSORS_ONLN)}
slow=1 size=()
unset HALFNOTE_TEST_GPU
if [ -n "${HALFNOTE_LIBCUDA-}" ]; then
	slow=8 size=(-tiny)
	unset HALFNOTE_CUBLAS                           # tests have the stand-in for it
	unrecorded+=(Attention MatMul Conv Scatter Arg) # to compare it with itself, the fast ones are enough
	export HALFNOTE_STANDIN_DEVICES=${HALFNOTE_STANDIN_DEVICES:-2}
else
	export HALFNOTE_TEST_GPU=1
fi
# cuBLAS is that of PyTorch, where no other is on the library path.
if [ -n "${HALFNOTE_TEST_GPU-}" ] && [ -z "${HALFNOTE_CUBLAS-}" ] && ! ldconfig -p 2>/dev/null | grep -q 'libcublas\.so\.1[23]'; then
	libraries=$("$python" -c 'import nvidia, glob, os
for p in nvidia.__path__: print(*glob.glob(os.path.join(p, "**", "libcublas.so.1[23]"), recursive=True), sep="\n")' 2>/dev/null || true)
	for library in $libraries /usr/local/cuda/lib64/libcublas.so.1[23]; do
		[ ! -f "$library" ] || { export HALFNOTE_CUBLAS=$library; break; }
	done
	[ -n "${HALFNOTE_CUBLAS-}" ] || export HALFNOTE_CUBLAS=0
fi
without=()
[ "${HALFNOTE_CUBLAS-}" != 0 ] || without=(Cublas)
rows=()
failed=()

# step NAME SECONDS COMMAND… runs a check with a limit, and makes its row.
step() {
	local name=$1 limit=$(($2 * slow)) start=$SECONDS
	shift 2
	local code=0
	timeout -k 5 "$limit" "$@" >"$logs/$name.log" 2>&1 || code=$?
	row "$name" "$code" $((SECONDS - start)) "$limit"
}

# row NAME CODE SECONDS LIMIT notes how a check ended: with the last line that it printed.
row() {
	local word=ok text count
	text=$(grep -v -e '^ *$' -e '^bench: without' "$logs/$1.log" | tail -1 | cut -c1-110 || true)
	count=$(grep -c '^--- PASS' "$logs/$1.log" || true)
	[ "$count" = 0 ] || text="$count tests pass: $text"
	text=${text%: PASS}
	if [ "$2" != 0 ]; then
		word=FAILED
		failed+=("$1")
		[ "$2" != 124 ] || text="took more than $4 s: $text"
	fi
	rows+=("$(printf '%-18s %-7s %4d s  %s' "$1" "$word" "$3" "$text")")
	echo "${rows[-1]}"
}

environment() {
	uname -srm
	getconf GNU_LIBC_VERSION
	echo "$(nproc) processors, cuBLAS ${HALFNOTE_CUBLAS:-of the library path}" # 0 where there is none
	"$python" -c 'import torch; print("torch", torch.__version__, torch.version.cuda)' 2>/dev/null || echo "no torch in $python"
	nvidia-smi --query-gpu=name,driver_version,memory.total,memory.free,clocks.sm,clocks.max.sm,compute_cap \
		--format=csv,noheader 2>/dev/null || echo "no nvidia-smi"
}

# doctor's exit status is about Jupyter, which is not there.
doctor() {
	./halfnote-cuda doctor >"$work/said" 2>&1 || true
	cat "$work/said"
	grep '^ok      gpu ' "$work/said"
}

without_driver() {
	export HALFNOTE_LIBCUDA=/nonexistent
	./halfnote-cuda -e 'tensor.Ones(2).Add(1)'
	./halfnote-cuda -e 'tensor.CUDAError()' 2>&1 | grep 'no NVIDIA driver'
}

sums='x := tensor.Arange(1000.0).To(tensor.CUDA(0)); if s := x.Mul(2).Sum().Item(); s != 999000 { panic(s) }; x.Sum()'

# run_tests NAME PACKAGE ARGUMENT… runs tests beside those of all_tests that come next.
run_tests() {
	local name=$1 package=$2 code=0 start=$SECONDS
	shift 2
	names+=("$name")
	(
		cd "$package"
		timeout -k 5 "$limit" ./test -test.v -test.short -test.timeout 1h "$@" >"$logs/$name.log" 2>&1 || code=$?
		echo "$code $((SECONDS - start))" >"$work/$name"
	) &
	pids+=($!)
}

# all_tests runs the tests of all packages at once: they take more of the processor than of the GPU.
# Memory begins as ones.
all_tests() {
	local limit=$(($1 * slow)) package pids=() names=() i code took
	export HALFNOTE_POISON=1
	# shellcheck disable=SC2046
	HALFNOTE_SEED=$seed run_tests tests-cuda "${tests[0]}" $(kernels "${without[@]}")
	# shellcheck disable=SC2046
	run_tests as-the-stand-in "${tests[0]}" $(kernels "${without[@]}" "${unrecorded[@]}") -recorded "$here/standin"
	export HALFNOTE_DEVICE=cuda:0
	for package in "${tests[@]:1}"; do
		run_tests "tests-$(basename "$package")" "$package" -test.run '^Test' -test.skip '^TestMNIST$' # examples print where tensors are
	done
	unset HALFNOTE_DEVICE HALFNOTE_POISON
	for i in "${!pids[@]}"; do
		wait "${pids[i]}" || true
		read -r code took <"$work/${names[i]}"
		row "${names[i]}" "$code" "$took" "$limit"
	done
}

export -f environment doctor without_driver
export python work
begin=$SECONDS
step environment 10 bash -euo pipefail -c environment
step doctor 15 bash -euo pipefail -c doctor
step PTX 25 env CUDA_FORCE_PTX_JIT=1 CUDA_CACHE_DISABLE=1 ./halfnote-cuda -e "$sums"
step no-driver 10 bash -euo pipefail -c without_driver
all_tests 75
if [ ${#size[@]} != 0 ]; then # an epoch of each network
	sed -e 's/const epochs = 120/const epochs = 1/' -e 's/for range 20 {/for range 1 {/' 01-first-loop.ipynb >"$work/notebook.ipynb"
else
	cp 01-first-loop.ipynb "$work/notebook.ipynb"
fi
step notebook 20 env HALFNOTE_DEVICE=cuda:0 ./halfnote-cuda run "$work/notebook.ipynb" -o "$work/out.ipynb"
step trajectory 20 ./bench "${size[@]}" -device cuda:0 -python "$python" -trajectory
step benchmarks 60 ./bench "${size[@]}" -device cuda:0 -python "$python" -rounds 2
if [ ${#size[@]} = 0 ] && command -v compute-sanitizer >/dev/null; then
	step sanitizer 20 env HALFNOTE_CUDA_CACHE=0 compute-sanitizer --tool memcheck --error-exitcode 9 \
		tensor/internal/cuda/test -test.run 'TestCUDA(Copy|Fill|Reduce|Softmax)'
fi

for name in "${failed[@]}"; do
	echo
	echo "== $name"
	grep -B2 -A3 -e '^ *--- FAIL' -e '^panic' -e '^error' "$logs/$name.log" | cut -c1-200 | head -40 || true
done
for name in environment doctor trajectory benchmarks; do
	echo
	echo "== $name"
	cat "$logs/$name.log"
done
echo
echo "== all, in $((SECONDS - begin)) s"
printf '%s\n' "${rows[@]}"
echo "HALFNOTE_SEED=$seed has the kernels of tests-cuda compute with the same numbers again"
echo "$((${#rows[@]} - ${#failed[@]})) passed, ${#failed[@]} failed"
[ ${#failed[@]} = 0 ]
