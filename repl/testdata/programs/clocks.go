package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

type ctxKey struct{}

var errStop = errors.New("stop")

func main() {
	wait := make(chan bool)
	alone := runtime.NumGoroutine()
	for range 3 {
		go func() { <-wait }()
	}
	fmt.Println(alone, runtime.NumGoroutine())
	close(wait)

	t := time.Date(2024, time.February, 29, 13, 4, 5, 6000, time.UTC)
	fmt.Println(t, t.Weekday(), t.YearDay(), t.AddDate(1, 0, 0).Format(time.DateOnly))
	fmt.Println(t.Format("Mon Jan _2 15:04:05.000000 2006"), t.Truncate(time.Hour).Format(time.RFC3339))
	p, err := time.Parse("2006-01-02", "2024-13-01")
	fmt.Println(p.IsZero(), err)
	d, err := time.ParseDuration("1h15m30.5s")
	fmt.Println(d, err, d.Round(time.Minute), d.Minutes(), t.Sub(t.Add(-d)))
	fmt.Printf("%v %d %s %T\n", time.Millisecond*1500, time.Second, time.March, time.March)
	y, w := t.ISOWeek()
	fmt.Println(y, w, t.Before(t.Add(1)), t.Equal(t.In(time.FixedZone("X", 3600))), time.Unix(0, 0).UTC())

	ctx := context.WithValue(context.Background(), ctxKey{}, "v")
	fmt.Println(ctx.Value(ctxKey{}), ctx.Value("other"))
	ctx, cancel := context.WithCancelCause(ctx)
	stopped := make(chan bool)
	context.AfterFunc(ctx, func() { close(stopped) })
	cancel(errStop)
	<-stopped
	<-ctx.Done()
	fmt.Println(ctx.Err(), context.Cause(ctx), errors.Is(ctx.Err(), context.Canceled))
	tctx, cancel2 := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel2()
	select {
	case <-tctx.Done():
		fmt.Println(tctx.Err(), errors.Is(tctx.Err(), context.DeadlineExceeded))
	case <-time.After(time.Minute):
	}
	var wg sync.WaitGroup
	var n atomic.Int64
	var mu sync.RWMutex
	total := map[int]int{}
	for i := range 10 {
		wg.Go(func() {
			n.Add(int64(i))
			mu.Lock()
			defer mu.Unlock()
			total[i%2]++
		})
	}
	wg.Wait()
	fmt.Println(n.Load(), total)
	var once sync.Once
	for range 3 {
		once.Do(func() { fmt.Println("once") })
	}
	get := sync.OnceValues(func() (int, error) { return 7, errStop })
	fmt.Println(get())
	var m sync.Map
	m.Store("a", 1)
	v, loaded := m.LoadOrStore("a", 2)
	fmt.Println(v, loaded)
	pool := sync.Pool{New: func() any { return new(int) }}
	x := pool.Get().(*int)
	*x = 3
	pool.Put(x)
	cond := sync.NewCond(&sync.Mutex{})
	ready := false
	go func() {
		cond.L.Lock()
		defer cond.L.Unlock()
		ready = true
		cond.Broadcast()
	}()
	cond.L.Lock()
	for !ready {
		cond.Wait()
	}
	cond.L.Unlock()
	fmt.Println(ready)
	var val atomic.Value
	val.Store([]string{"a"})
	fmt.Println(val.Load().([]string)[0])
	tick := time.NewTicker(time.Millisecond)
	<-tick.C
	tick.Stop()
	tm := time.AfterFunc(time.Hour, func() {})
	fmt.Println(tm.Stop(), tm.Stop())
}
