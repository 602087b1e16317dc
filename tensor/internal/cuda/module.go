//go:build cuda

package cuda

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"gorgonia.org/cu"
)

// packed holds the compiled kernels: a fatbin for each file in kernels/, as package pack writes them.
//
//go:embed build/kernels.zip
var packed []byte

// image returns the fatbin of a file in kernels/.
func image(name string) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return "", err
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1)))
	f, err := z.Open(name + ".fatbin")
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}

// modules are the fatbins that have been loaded, by GPU and name.
var modules struct {
	sync.Mutex
	loaded map[*GPU]map[string]cu.Module
}

// module loads a fatbin, unless that was done.
func (g *GPU) module(name string) (cu.Module, error) {
	modules.Lock()
	defer modules.Unlock()
	if m, ok := modules.loaded[g][name]; ok {
		return m, nil
	}
	text, err := image(name)
	if err != nil {
		return cu.Module{}, fmt.Errorf("kernels of %s: %w", name, err)
	}
	var m cu.Module
	err = g.do(func() error {
		m, err = cu.LoadData(text)
		return ownError(err)
	})
	if err != nil {
		return m, fmt.Errorf("kernels of %s cannot be loaded: %w", name, err)
	}
	if modules.loaded == nil {
		modules.loaded = map[*GPU]map[string]cu.Module{}
	}
	if modules.loaded[g] == nil {
		modules.loaded[g] = map[string]cu.Module{}
	}
	modules.loaded[g][name] = m
	return m, nil
}

// The least version of CUDA whose driver takes the kernels, and that driver.
const (
	leastCUDA   = 13000
	leastDriver = 580
)

// loadable says whether g's driver takes the kernels.
func (g *GPU) loadable() error {
	_, err := g.module("copy")
	if err == nil {
		return nil
	}
	v := cu.Version()
	if v > 0 && v < leastCUDA {
		return fmt.Errorf("cuda: GPU %d: the driver is for CUDA %d.%d, and the kernels need one for CUDA %d.%d: "+
			"install NVIDIA's driver %d or a newer one (%w)",
			g.number, v/1000, v%1000/10, leastCUDA/1000, leastCUDA%1000/10, leastDriver, err)
	}
	return fmt.Errorf("cuda: GPU %d: %w", g.number, err)
}
