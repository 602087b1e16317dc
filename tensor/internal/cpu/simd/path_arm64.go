package simd

func detect() []Path { return []Path{NEON} }
