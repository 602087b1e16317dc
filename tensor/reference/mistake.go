package reference

import "halfnote/tensor"

// Mistake returns the text of the *tensor.Error that f panics with, for tests of what is refused;
// it is "no panic" when f returns. Whether a GPU has told it late makes no difference. Other panics go on.
func Mistake(f func()) (text string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
			text = "no panic"
		case *tensor.Error:
			e := *p
			e.Late = false
			text = e.Error()
		default:
			panic(p)
		}
	}()
	f()
	tensor.Synchronize() // a GPU tells some mistakes late
	return ""
}
