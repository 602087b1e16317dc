package simd

import "golang.org/x/sys/cpu"

func detect() (paths []Path) {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA || !x.HasF16C {
		return nil
	}
	paths = append(paths, AVX2)
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL {
		return paths
	}
	paths = append(paths, AVX512)
	if x.HasAVX512BF16 {
		paths = append(paths, AVX512BF16)
	}
	return paths
}
