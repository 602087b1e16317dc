package rt

import (
	"reflect"
	"runtime"
)

// Select is a select statement. Each clause is three values: the channel, whether it sends, and
// what it sends. It returns the index of the clause that went on, with what it received; -1 stands
// for the default clause, which is there when block is false. A goroutine that waits ends when its
// cell is stopped.
func (ts *Types) Select(block bool, clauses ...any) (chosen int, received any, ok bool) {
	n := len(clauses) / 3
	cases := make([]reflect.SelectCase, n, n+1)
	for i := range n {
		channel, sends, value := clauses[3*i], clauses[3*i+1].(bool), clauses[3*i+2]
		c := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(channel)}
		if sends {
			c.Dir = reflect.SelectSend
			c.Send = reflect.New(c.Chan.Type().Elem()).Elem()
			if value != nil {
				c.Send.Set(reflect.ValueOf(value))
			}
		}
		cases[i] = c
	}
	stopped := ts.stopped()
	switch {
	case !block:
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
	case stopped != nil:
		cases = append(cases, reflect.SelectCase{
			Dir: reflect.SelectRecv, Chan: reflect.ValueOf(stopped),
		})
	}
	var v reflect.Value
	if block {
		ts.wait(func() { chosen, v, ok = reflect.Select(cases) })
	} else {
		chosen, v, ok = reflect.Select(cases)
	}
	if chosen == n {
		if block {
			runtime.Goexit()
		}
		return -1, nil, false
	}
	if v.IsValid() {
		received = v.Interface()
	}
	return chosen, received, ok
}
