package main

// This file implements the running of many programs.

import (
	"context"
	"path/filepath"
	"sync"
	"time"
)

// A runner runs programs in halfnote and, if it is to compare, in Go.
type runner struct {
	halfnote string // the path of the program
	compare  bool   // with Go
	most     limit
	folder   string // takes what is compiled
}

// A result is what came of a program.
type result struct {
	program
	kind kind          // empty if it passed
	line string        // what is to be seen of the failure
	slow time.Duration // how long it took, if that was more than half of its time
}

// judged reports whether anything was known of the output that the program must have.
func (r *runner) judged(p program) bool { return r.compare || p.want != nil }

// patience is how many times its time a program may wait for processors, when it is run alone.
const patience = 12

// try runs a program. One that is run alone may take longer than its time if it did not have the
// processors, which others were using then.
func (r *runner) try(ctx context.Context, p program, alone bool) (result, error) {
	want, most := wanted{output: p.want}, r.most
	var again func() (bool, error)
	if r.compare {
		inGo, used, second, err := inGo(ctx, p, r.folder)
		if err != nil {
			return result{}, err
		}
		most = most.atLeast(used)
		if p.want == nil {
			want, again = inGo, second
		}
	}
	given := most.time
	if alone {
		given *= patience
	}
	did, err := run(ctx, given, p.dir, r.halfnote, "run", p.file)
	if err != nil {
		return result{}, err
	}
	did.late = did.late || min(did.time, did.busy) > most.time
	kind, line := judge(did, want, most)
	if kind == output && again != nil {
		if same, err := again(); err != nil {
			return result{}, err
		} else if !same {
			want.output = nil
			kind, line = judge(did, want, most)
		}
	}
	res := result{program: p, kind: kind, line: line}
	if took := min(did.time, did.busy); took > most.time/2 {
		res.slow = took
	}
	return res, nil
}

// tryAll runs programs, as many at once as there are jobs, and returns the results in their order;
// note is told of each as it ends. What was late among others is run again alone, if it is not known
// to be.
func (r *runner) tryAll(ctx context.Context, all []program, jobs int, known func(result) bool,
	note func(result)) ([]result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([]result, len(all))
	var mu sync.Mutex // of note
	next := make(chan int)
	var group sync.WaitGroup
	for range jobs {
		group.Go(func() {
			for i := range next {
				res, err := r.try(ctx, all[i], jobs == 1)
				if err != nil {
					cancel(err)
					continue
				}
				results[i] = res
				mu.Lock()
				note(res)
				mu.Unlock()
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	group.Wait()
	for i, res := range results {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if res.kind != late || jobs == 1 || known(res) {
			continue
		}
		var err error
		if results[i], err = r.try(ctx, res.program, true); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// folderOf is the name of a program's folder.
func folderOf(p program) string { return filepath.Base(p.dir) }
