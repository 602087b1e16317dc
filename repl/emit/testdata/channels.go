package main

func caseChannels() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	out(len(c), cap(c), <-c)
	x := <-c
	out(x)
	close(c)
	v, ok := <-c
	out(v, ok)
	for i := 0; i < 2; i++ {
		v, ok := <-c
		out(v, ok)
	}
	d := make(chan string)
	spawn(func() {
		for i := 0; i < 3; i++ {
			d <- "m"
		}
		close(d)
	})
	n := 0
	for s := range d {
		n += len(s)
	}
	out(n)
	p := new(int)
	e := make(chan int, 1)
	e <- 7
	*p = <-e
	out(*p)
	s := []int{0}
	e <- 8
	s[0] = <-e
	out(s)
	var y int
	e <- 9
	y = <-e
	y = y + 1
	out(y)
	e <- 5
	z := <-e
	z += 2
	out(z)
	var r <-chan int = e
	var w chan<- int = e
	w <- 4
	out(<-r)
	a := make(chan any, 2)
	a <- 1
	a <- nil
	out(<-a)
	q := <-a
	out(q == nil)
	st := struct{ c chan int }{make(chan int, 1)}
	st.c <- 3
	out(<-st.c)
	cc := make(chan chan int, 1)
	cc <- e
	f := <-cc
	f <- 11
	out(<-e)
	cf := make(chan func() int, 1)
	cf <- func() int { return 6 }
	out((<-cf)())
	b := make(chan bool, 2)
	b <- true
	b <- false
	if <-b {
		out("t")
	}
	if <-b {
		out("f")
	}
	var nc chan int
	out(nc == nil, len(nc))
	try(func() { close(nc) })
	try(func() {
		k := make(chan int)
		close(k)
		k <- 1
	})
}

func casePipeline() {
	gen := make(chan int)
	sq := make(chan int)
	spawn(func() {
		for i := 1; i <= 10; i++ {
			gen <- i
		}
		close(gen)
	})
	spawn(func() {
		for x := range gen {
			sq <- x * x
		}
		close(sq)
	})
	t := 0
	for x := range sq {
		t += x
	}
	out(t)
}

func caseSelect() {
	a := make(chan int, 1)
	b := make(chan string, 1)
	select {
	case x := <-a:
		out(x)
	default:
		out("empty")
	}
	a <- 1
	select {
	case x := <-a:
		out(x)
	case s, ok := <-b:
		out(s, ok)
	}
	select {
	case b <- "s":
		out("sent")
	default:
		out("full")
	}
	select {
	case b <- "t":
		out("sent")
	default:
		out("full")
	}
	close(b)
	for i := 0; i < 2; i++ {
		select {
		case s, ok := <-b:
			out(s, ok)
		}
	}
	done := make(chan struct{})
	vals := make(chan int)
	spawn(func() {
		for i := 0; i < 5; i++ {
			vals <- i
		}
		close(done)
	})
	t := 0
loop:
	for {
		select {
		case v := <-vals:
			if v == 2 {
				continue loop
			}
			if v == 3 {
				break
			}
			t += v
		case <-done:
			break loop
		}
	}
	out(t)
	e := make(chan error, 1)
	e <- nil
	select {
	case err := <-e:
		out(err == nil)
	}
	p := make(chan *int, 1)
	p <- nil
	select {
	case q := <-p:
		out(q == nil)
	}
}

func worker(in chan int, quit chan bool, res chan int) {
	n := 0
	for {
		select {
		case v := <-in:
			n += v
		case <-quit:
			res <- n
			return
		}
	}
}

func caseManySelects() {
	const k = 8
	var ins []chan int
	var quits []chan bool
	res := make(chan int)
	for i := 0; i < k; i++ {
		in := make(chan int)
		quit := make(chan bool)
		ins = append(ins, in)
		quits = append(quits, quit)
		spawn(func() { worker(in, quit, res) })
	}
	for j := 0; j < 50; j++ {
		for i := range ins {
			ins[i] <- i
		}
	}
	t := 0
	for i := range quits {
		quits[i] <- true
		t = t*3 + (<-res)/50
	}
	out(t)
}

func caseRangeChannels() {
	var list []chan int
	for i := 0; i < 3; i++ {
		c := make(chan int, 2)
		c <- i
		list = append(list, c)
	}
	for j := 0; j < 2; j++ {
		for i, c := range list {
			x := <-c
			c <- x + 10
			out(i, x)
			list = list[:2]
		}
	}
	for _, c := range [2]chan int{list[1], list[0]} {
		out(<-c)
	}
	for k, c := range map[string]chan int{"a": list[0]} {
		out(k, len(c))
	}
}
