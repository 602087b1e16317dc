package memory

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]uint64{
		"1": 1, "500MB": 500e6, "2GiB": 2 << 30, "1.5g": 3 << 29, " 3 kb ": 3000, "none": NoLimit,
		"7b": 7, "1TB": 1e12,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "0", "much", "1e30GB", "nan", "2 G B"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestText(t *testing.T) {
	for bytes, want := range map[uint64]string{
		12: "12 bytes", 1234: "1.2 kB", 9960: "10 kB", 750e6: "750 MB", 3 << 40: "3.3 TB",
	} {
		if got := Text(bytes); got != want {
			t.Errorf("%d is %q, want %q", bytes, got, want)
		}
	}
}
