package tensor

import "github.com/petermattis/goid"

// Inherit notes the state of the calling goroutine, which goroutines that it starts do not have:
// whether ops are recorded for Backward, whether [DetectNonFinite] watches, the cast state, and the
// streams that ops go to.
// What it returns calls f in this state, on any goroutine, and puts that one's own back when f
// returns, panics or exits the goroutine:
//
//	with := tensor.Inherit()
//	go with(func() { … })
//
// What such a goroutine computes inside of [Checkpoint] is kept for Backward as it is, and what it
// draws at random is drawn again; call Inherit once for each goroutine that draws. Mistakes in
// positions that a GPU finds are told to the goroutine that called Inherit, once f has returned.
func Inherit() (with func(f func())) {
	var from settings
	if l := current(); l != nil {
		from = l.settings
	}
	from.draws = from.draws.fork()
	starter := goid.Get()
	return func(f func()) {
		l, saved := enter()
		defer l.restore(&saved)
		defer adopt(starter)
		l.noGrad, l.detect, l.cast = from.noGrad, from.detect, from.cast
		l.graph, l.stream = from.graph, from.stream
		l.pack, l.draws = nil, from.draws
		f()
	}
}
