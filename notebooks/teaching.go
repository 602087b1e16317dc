package notebooks

import (
	"embed"
	"io/fs"
)

//go:embed [0-9]*.ipynb
var teaching embed.FS

// Teaching returns the teaching notebooks, for those who have the program and not its repository.
func Teaching() fs.FS { return teaching }
