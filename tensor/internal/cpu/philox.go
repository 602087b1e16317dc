package cpu

import "math/bits"

// Philox returns a block of Philox4x32-10: four words that depend on the seed, the counter and the
// attempt alone. See device.RandomNumbers for how they are laid out.
func Philox(seed, counter uint64, attempt uint32) [4]uint32 {
	return philox(uint32(counter), uint32(counter>>32), attempt, 0,
		uint32(seed), uint32(seed>>32))
}

// philox is the function of the paper, of a counter of four words and a key of two: ten rounds, and
// a key that moves on between them. Go keeps single variables in registers, and arrays in memory.
func philox(c0, c1, c2, c3, key0, key1 uint32) [4]uint32 {
	const (
		multiply0, multiply1 = 0xD2511F53, 0xCD9E8D57
		golden, root3        = 0x9E3779B9, 0xBB67AE85 // the fractions of (√5−1)/2 and √3−1
		rounds               = 10
	)
	for range rounds {
		high0, low0 := bits.Mul32(multiply0, c0)
		high1, low1 := bits.Mul32(multiply1, c2)
		c0, c1, c2, c3 = high1^c1^key0, low1, high0^c3^key1, low0
		key0 += golden
		key1 += root3
	}
	return [4]uint32{c0, c1, c2, c3}
}

// long returns the block as two words of 64 bits.
func long(block [4]uint32) [2]uint64 {
	return [2]uint64{
		uint64(block[0]) | uint64(block[1])<<32,
		uint64(block[2]) | uint64(block[3])<<32,
	}
}

// Below returns an integer below n, or any for n = 0, all equally likely: the one of element i of a
// draw that begins at counter.
func Below(n, seed, counter uint64, i int) uint64 {
	counter += uint64(i) / 2
	x := long(Philox(seed, counter, 0))[i%2]
	if n == 0 {
		return x
	}
	high, low := bits.Mul64(x, n)
	if low >= n { // is never to be drawn again: saves the division
		return high
	}
	for attempt := uint32(1); low < -n%n; attempt++ {
		high, low = bits.Mul64(long(Philox(seed, counter, attempt))[i%2], n)
	}
	return high
}
