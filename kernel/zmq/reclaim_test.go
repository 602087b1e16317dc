package zmq

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestReclaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var freed []time.Duration
		r := &reclaimer{free: func() { freed = append(freed, time.Since(start)) },
			large: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
		go r.run()
		r.passed(largeMessage - 1)
		time.Sleep(time.Minute) // of the test's own clock
		start = time.Now()
		for range 10 {
			r.passed(largeMessage)
			time.Sleep(reclaimSoon / 2)
		}
		time.Sleep(time.Minute)
		r.close()
		first := 9*reclaimSoon/2 + reclaimSoon
		if len(freed) != 2 || freed[0] != first || freed[1] != first+reclaimLater {
			t.Errorf("memory was given back after %v", freed)
		}
	})
}
