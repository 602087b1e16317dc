// Command gen writes the assembly of package simd, the Go declarations of it, and the functions
// that choose between the paths.
package main

import (
	"log"
	"maps"
	"os"
)

// groups are the kernels on rows of each file of package simd.
var groups = map[string][]kernel{
	"arith":   arith,
	"compare": comparisons,
	"convert": conversions,
	"curves":  curves,
	"reduce":  reduce,
	"short":   shorts,
}

func main() {
	for name, content := range outputs() {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// outputs returns the contents of all generated files by their names in package simd.
func outputs() map[string][]byte {
	files := map[string][]byte{
		"conv_amd64.s": convAMD64(),
		"conv_arm64.s": convARM64(),
		"gemm_amd64.s": gemmAMD64(),
		"gemm_arm64.s": gemmARM64(),
		"pool_amd64.s": poolAMD64(),
		"pool_arm64.s": poolARM64(),
		"short.go":     shortTwins(),
	}
	for name, kernels := range groups {
		maps.Copy(files, rows(name, kernels))
	}
	return files
}
