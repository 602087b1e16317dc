//go:build !amd64 && !arm64

package simd

func detect() []Path { return nil }
