package install

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// essence returns a file without our hooks and without white space outside of strings and comments.
func (a *Settings) essence(data []byte) ([]byte, error) {
	d, err := parse("settings", data)
	if err != nil {
		return nil, err
	}
	if _, err := a.strip(d, true); err != nil {
		return nil, err
	}
	if at, err := member(d.root, "version", "version"); err == nil && at >= 0 && a.Version > 0 {
		removeMember(d.root, at) // installing adds it if it is missing
	}
	for v := range d.value.All() {
		tighten(&v.BeforeExtra)
		tighten(&v.AfterExtra)
		switch inner := v.Value.(type) {
		case *hujson.Object:
			tighten(&inner.AfterExtra)
		case *hujson.Array:
			tighten(&inner.AfterExtra)
		}
	}
	return d.value.Pack(), nil
}

// tighten reduces white space and comments to the comments, each with the line break that may end it.
func tighten(extra *hujson.Extra) {
	text := bytes.TrimSpace(*extra)
	if len(text) == 0 {
		*extra = nil
		return
	}
	*extra = append(bytes.Clone(text), '\n')
}
