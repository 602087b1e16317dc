package main

// This file implements the table of a GPU: each peer is one process, which does all works in turn, since
// making a GPU ready takes seconds.

import (
	"fmt"
	"os"
	"runtime"
)

// findPeersOn returns us, us without the maker's library, and torch.
func findPeersOn(device string, s size, python string) ([]peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	serve := []string{self, "-device", device, "-serve"}
	if s.tiny {
		serve = []string{self, "-device", device, "-tiny", "-serve"}
	}
	env := []string{"HALFNOTE_DEVICE=" + device}
	peers := []peer{
		{us, serve, env, s.roundTime},
		{own, serve, append(env, "HALFNOTE_CUBLAS=0"), s.roundTime},
	}
	if has(python, "torch", "torch; torch.empty(1, device=\""+device+"\")") {
		peers = append(peers, peer{"torch", []string{python, "-c", script, device, "torch"}, nil, s.roundTime})
	}
	return peers, nil
}

// compareOn measures the works on a GPU and prints the table.
func compareOn(device string, s size, python string, rounds int, parts []string) error {
	peers, err := findPeersOn(device, s, python)
	if err != nil {
		return err
	}
	chosen, err := choose(worksOf(s), parts)
	if err != nil {
		return err
	}
	running := map[string]*process{}
	defer func() {
		for _, p := range running {
			p.stop()
		}
	}()
	t := table{out: os.Stdout, peers: peers, gpu: true, moved: map[string]float64{}}
	t.head()
	for _, w := range chosen {
		r := newRow(w, runtime.NumCPU())
		var turn []*process
		for _, p := range peers {
			if !w.has(p.name) {
				continue
			}
			if running[p.name] == nil {
				running[p.name], err = p.start(w.name, runtime.NumCPU())
			} else {
				_, err = fmt.Fprintln(running[p.name].ask, w.name)
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", w.name, p.name, err)
			}
			turn = append(turn, running[p.name])
		}
		if err := r.fill(turn, rounds); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		t.print(r)
	}
	return nil
}
