package kernel

import (
	"context"
	"runtime"
	"strings"
)

type kernelInfo struct {
	Status          string       `json:"status"`
	ProtocolVersion string       `json:"protocol_version"`
	Implementation  string       `json:"implementation"`
	Version         string       `json:"implementation_version"`
	Language        languageInfo `json:"language_info"`
	Banner          string       `json:"banner"`
	Debugger        bool         `json:"debugger"`
	Features        []string     `json:"supported_features"`
	Links           []helpLink   `json:"help_links"`
}

type languageInfo struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	MIME       string `json:"mimetype"`
	Extension  string `json:"file_extension"`
	Pygments   string `json:"pygments_lexer"`
	CodeMirror string `json:"codemirror_mode"`
	Exporter   string `json:"nbconvert_exporter"`
}

type helpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// info says what this kernel is and can.
func (k *Kernel) info(context.Context, *lane, *request) any {
	return kernelInfo{
		Status:          "ok",
		ProtocolVersion: protocolVersion,
		Implementation:  "halfnote",
		Version:         k.cfg.Version,
		Language: languageInfo{
			Name:       "go",
			Version:    strings.TrimPrefix(runtime.Version(), "go"),
			MIME:       "text/x-go",
			Extension:  ".go",
			Pygments:   "go",
			CodeMirror: "go",
			Exporter:   "script",
		},
		Banner: "halfnote " + k.cfg.Version + ": Go with mixed precision training\n" +
			"Names, packages and values are explained by ?name; %help lists the commands.",
		Debugger: false,
		Features: []string{"kernel subshells"},
		Links: []helpLink{
			{"Go: tour", "https://go.dev/tour/"},
			{"Go: language specification", "https://go.dev/ref/spec"},
			{"Go: standard library", "https://pkg.go.dev/std"},
			{"gonum/plot", "https://pkg.go.dev/gonum.org/v1/plot"},
			{"PyTorch: automatic mixed precision", "https://pytorch.org/docs/stable/amp.html"},
		},
	}
}
