package data

import (
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // the formats that Folder reads
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/draw"

	"halfnote/internal/memory"
)

// FolderConfig says what pictures are made into. Its zero value keeps their size and colours.
type FolderConfig struct {
	Height, Width int  // to which all are resized; 0: the size that all of them have
	Grey          bool // one channel instead of red, green and blue

	Progress func(done, total int) // called with the pictures read; nil: a line on a terminal
}

// maxPixels is the size of the largest picture that is decoded: what a small file claims to be
// could fill the memory.
const maxPixels = 1 << 26

// Folder reads pictures (png, jpeg, gif) from a folder whose sub-folders are the classes, as
// PyTorch's ImageFolder does: the sorted names of the sub-folders are [Dataset.Classes], y is int64
// [n]. x is float32 [n, 3, height, width], or [n, 1, height, width] for grey, from 0 to 1; samples
// are sorted by their paths. A picture of another size is resized as a whole, its form is not
// kept; transparent parts are white. Folders in the sub-folders count to the class. Files of other
// kinds, and those whose names begin with a dot, are left out.
//
//	train, err := data.Folder("pets", data.FolderConfig{Height: 32, Width: 32})
func Folder(dir string, c FolderConfig) (*Dataset, error) {
	if c.Height < 0 || c.Width < 0 || (c.Height == 0) != (c.Width == 0) {
		return nil, &Error{Op: "folder", Path: dir, Msg: fmt.Sprintf(
			"height %d and width %d: give both, or neither", c.Height, c.Width)}
	}
	classes, paths, labels, err := listPictures(dir)
	if err != nil {
		return nil, err
	}
	if c.Height == 0 {
		first, err := pictureConfig(paths[0])
		if err != nil {
			return nil, err
		}
		c.Height, c.Width = first.Height, first.Width
		for _, path := range paths[1:] {
			size, err := pictureConfig(path)
			if err == nil && (size.Width != c.Width || size.Height != c.Height) {
				err = &Error{Op: "folder", Path: path, Msg: fmt.Sprintf(
					"%d×%d pixels, and %s has %d×%d; give a Height and Width to resize to",
					size.Height, size.Width, paths[0], c.Height, c.Width)}
			}
			if err != nil {
				return nil, err
			}
		}
	}
	shape := []int{3, c.Height, c.Width}
	if c.Grey {
		shape[0] = 1
	}
	if shape[0] > maxPixels*3/c.Height/c.Width {
		return nil, &Error{Op: "folder", Path: dir, Msg: fmt.Sprintf(
			"height %d and width %d are more than %d pixels", c.Height, c.Width, maxPixels)}
	}
	if bytes := float64(len(paths)) * float64(numel(shape)); bytes > 1<<30 { // else it will do
		if have, err := memory.Size(); err == nil && bytes > float64(have) {
			return nil, &Error{Op: "folder", Path: dir, Msg: fmt.Sprintf("%d pictures of %d×%d "+
				"pixels take %.3g GB, and the machine has %.3g GB of memory; give a smaller Height "+
				"and Width", len(paths), c.Height, c.Width, bytes/1e9, float64(have)/1e9)}
		}
	}
	all, err := c.readAll(paths, numel(shape))
	if err != nil {
		return nil, err
	}
	d := newDataset(filepath.Base(dir), column{pixels(all), shape},
		column{int64Values(labels), nil}, len(paths))
	d.classes = classes
	return d, nil
}

// listPictures returns the classes, and the paths of all pictures with their labels.
func listPictures(dir string) (classes, paths []string, labels []int64, err error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, nil, nil, &Error{Op: "folder", Err: err}
	}
	for _, entry := range entries {
		class := filepath.Join(dir, entry.Name())
		if s, err := os.Stat(class); err != nil || !s.IsDir() || entry.Name()[0] == '.' {
			continue // a link to a folder is one
		}
		before := len(paths)
		if paths, err = appendPictures(paths, class); err != nil {
			return nil, nil, nil, err
		}
		for range len(paths) - before {
			labels = append(labels, int64(len(classes)))
		}
		classes = append(classes, entry.Name())
	}
	if len(paths) == 0 {
		return nil, nil, nil, &Error{Op: "folder", Path: dir,
			Msg: "no sub-folder in it; each class has one, with its pictures"}
	}
	return classes, paths, labels, nil
}

// appendPictures appends the paths of the pictures in the folder of a class.
func appendPictures(paths []string, class string) ([]string, error) {
	before := len(paths)
	top := class + string(filepath.Separator) // so that a link is followed
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name()[0] == '.':
			return filepath.SkipDir
		case !e.IsDir() && isPicture(e.Name()):
			paths = append(paths, path)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, &Error{Op: "folder", Err: err}
	case len(paths) == before:
		return nil, &Error{Op: "folder", Path: class,
			Msg: "no picture in it (png, jpg, jpeg, gif); each sub-folder is a class"}
	}
	return paths, nil
}

func isPicture(name string) bool {
	return name[0] != '.' && slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif"},
		strings.ToLower(filepath.Ext(name)))
}

// pictureConfig reads the size of a picture and refuses what is too large.
func pictureConfig(path string) (image.Config, error) {
	file, err := openPicture(path)
	if err != nil {
		return image.Config{}, err
	}
	defer file.Close()
	return checkedConfig(path, file)
}

// openPicture opens a file, but nothing else: to open a pipe would wait for a writer.
func openPicture(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Op: "folder", Err: err}
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Op: "folder", Path: path, Msg: "is no regular file"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Op: "folder", Err: err}
	}
	return file, nil
}

func checkedConfig(path string, file io.Reader) (image.Config, error) {
	c, _, err := image.DecodeConfig(file)
	switch {
	case err != nil:
		return c, &Error{Op: "folder", Path: path, Err: err}
	case c.Width < 1 || c.Height < 1 || c.Width > maxPixels/c.Height:
		return c, &Error{Op: "folder", Path: path, Msg: fmt.Sprintf(
			"%d×%d pixels: there must be from 1 to %d", c.Height, c.Width, maxPixels)}
	}
	return c, nil
}

// readAll decodes all pictures, on as many goroutines as there are processors. Of several faults
// it returns the one that is first in order.
func (c FolderConfig) readAll(paths []string, size int) ([]byte, error) {
	m := newMeter("folder", c.Progress)
	defer m.end()
	all := make([]byte, len(paths)*size)
	failed := make([]error, len(paths))
	work := make(chan int)
	done := make(chan int, len(paths)) // so that work ends where Progress panics
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		running.Go(func() {
			for i := range work {
				failed[i] = c.decode(paths[i], all[i*size:(i+1)*size])
				done <- i
			}
		})
	}
	running.Go(func() {
		defer close(work)
		for i := range paths {
			work <- i
		}
	})
	for i := range paths {
		<-done
		m.at(i+1, len(paths))
	}
	running.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// decode reads a picture into pixels, channel by channel.
func (c FolderConfig) decode(path string, pixels []byte) error {
	file, err := openPicture(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := checkedConfig(path, file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return &Error{Op: "folder", Err: err}
	}
	img, _, err := image.Decode(file)
	if err != nil {
		return &Error{Op: "folder", Path: path, Err: err}
	}
	sized := image.NewRGBA(image.Rect(0, 0, c.Width, c.Height))
	draw.Draw(sized, sized.Bounds(), image.White, image.Point{}, draw.Src)
	if img.Bounds().Size() == sized.Bounds().Size() {
		draw.Draw(sized, sized.Bounds(), img, img.Bounds().Min, draw.Over)
	} else {
		draw.CatmullRom.Scale(sized, sized.Bounds(), img, img.Bounds(), draw.Over, nil)
	}
	plane := c.Height * c.Width
	for i := range plane {
		red, green, blue := sized.Pix[4*i], sized.Pix[4*i+1], sized.Pix[4*i+2]
		if c.Grey {
			pixels[i] = color.GrayModel.Convert(color.RGBA{red, green, blue, 255}).(color.Gray).Y
		} else {
			pixels[i], pixels[plane+i], pixels[2*plane+i] = red, green, blue
		}
	}
	return nil
}
