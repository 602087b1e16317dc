package rt

import "fmt"

func formatBox(s fmt.State, verb rune, b Box) {
	fmt.Fprintf(s, fmt.FormatString(s, verb), b.V)
}
