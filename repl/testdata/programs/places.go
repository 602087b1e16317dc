package main

import "fmt"

var gint = 8
var g8 uint8 = 7
var v2 = make([][1]uint8, 2)

func main() {
	v2[0][uint(gint)%uint(len(v2[uint(gint)%2]))] = g8
	fmt.Println(v2)
	v2 = make([][1]uint8, 2)
	v2[gint-8][uint(gint)%uint(len(v2[uint(gint)%2]))] = g8
	fmt.Println(v2)
	v2 = make([][1]uint8, 2)
	v2[uint(gint)%uint(len(v2))][gint-8] = g8
	fmt.Println(v2)
	v2 = make([][1]uint8, 2)
	v2[0][len(v2[uint(gint)%uint(len(v2))])-1] = g8
	fmt.Println(v2)
	v2 = make([][1]uint8, 2)
	v2[uint(gint)%uint(len(v2))][len(v2[uint(gint)%2])-1] = g8
	fmt.Println(v2)
	v2 = make([][1]uint8, 2)
	v2[uint(gint)%uint(len(v2))][len(v2[uint(gint)%uint(len(v2))])-1] = g8
	fmt.Println(v2)
	v2 = make([][1]uint8, 2)
	v2[gint%len(v2)][len(v2[gint%len(v2)])-1] = g8
	fmt.Println(v2)
}

type cell struct {
	x    int
	rows [2][3]int
}

func init() {
	list := []cell{{}, {}}
	at := func(n int) int { fmt.Print("at", n, " "); return n }
	list[1].rows[len(list[gint%len(list)].rows)-1][len(list[at(0)].rows[gint%len(list)])-2] = 4
	p := &list[0].rows[len(list[gint%len(list)].rows)-1][len(list[at(0)].rows[gint%len(list)])-2]
	*p += 5
	list[0].rows[at(1)][at(2)]++
	list[len(list)-1].rows[at(0)][len(list[at(0)].rows)] -= 3
	m := map[string]cell{"a": list[1]}
	fmt.Println(list, m["a"].rows[len(list[gint%len(list)].rows)-1][len(m["a"].rows[gint%2])-2])
	var grid [2][2]cell
	grid[len(list[gint%len(list)].rows)-1][at(0)].rows[1][len(grid[gint%2])] = 6
	q := &grid
	q[len(list[gint%len(list)].rows)-1][at(0)].rows[0][len(q[gint%2])] = 7
	fmt.Println(grid)
}
