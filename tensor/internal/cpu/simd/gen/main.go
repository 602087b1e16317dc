// Command gen writes the assembly of package simd.
package main

func main() {}
