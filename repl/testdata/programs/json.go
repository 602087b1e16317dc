package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

type Level int

type Item struct {
	Name  string            `json:"name"`
	Price float64           `json:"price,omitempty"`
	Tags  []string          `json:"tags"`
	Meta  map[string]any    `json:"meta,omitempty"`
	Next  *Item             `json:"next,omitempty"`
	When  time.Duration     `json:"when"`
	Level Level             `json:"level"`
	Attrs map[Level]float64 `json:"attrs,omitempty"`
	note  string
	Skip  int `json:"-"`
}

type Temp float64

func (t Temp) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprintf("%.1f°", float64(t))) }

type Color int

func (c Color) MarshalText() ([]byte, error) { return []byte([]string{"red", "blue"}[c]), nil }

type Point struct{ X, Y int }

func (p *Point) UnmarshalJSON(b []byte) error {
	_, err := fmt.Sscanf(string(b), `"%d,%d"`, &p.X, &p.Y)
	return err
}

func main() {
	var p Point
	fmt.Println(json.Unmarshal([]byte(`"3,4"`), &p), p)
	out, err := json.Marshal(p)
	fmt.Println(string(out), err)
	it := Item{Name: "a<b>", Tags: nil, note: "hidden", Skip: 3, Level: 2,
		Next: &Item{Name: "n", Price: 1.5, Tags: []string{"x"}}, When: time.Second,
		Attrs: map[Level]float64{1: 0.5}}
	b, err := json.Marshal(it)
	fmt.Println(string(b), err)
	b, err = json.MarshalIndent([]any{it.Next, map[string]Level{"l": 1}, nil, 2, Temp(36.6), Color(1)}, "", "  ")
	fmt.Println(string(b), err)

	var back Item
	err = json.Unmarshal([]byte(`{"name":"q","price":2,"tags":["a","b"],"note":"no","NOTE":"no","next":{"name":"r"},"level":7,"meta":{"k":[1,"s",null]}}`), &back)
	fmt.Println(back.Name, back.Price, back.Tags, back.note == "", back.Next.Name, back.Level, back.Meta, err)
	var list []Item
	fmt.Println(json.Unmarshal([]byte(`[{"name":"1"},{"name":"2"}]`), &list), len(list), list[1].Name)
	err = json.Unmarshal([]byte(`{"name":3}`), &back)
	fmt.Println(err != nil)
	dec := json.NewDecoder(strings.NewReader(`{"name":"s1"} {"name":"s2"}`))
	for dec.More() {
		var one Item
		if err := dec.Decode(&one); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(one.Name)
	}
	json.NewEncoder(os.Stdout).Encode(struct {
		A int `json:"a"`
		B any
		c int
	}{1, Item{Name: "in any"}, 2})
	var anything any
	fmt.Println(json.Unmarshal([]byte(`{"x":[1,2]}`), &anything), anything)
}
