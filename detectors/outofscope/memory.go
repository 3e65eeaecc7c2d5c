package outofscope

import (
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// memory is D1's state of a session: bounded hashes of what is in scope.
type memory struct {
	// Version changes when the scope is extended; Silent is why the scope does not limit
	// files, "" if it does.
	Version int    `json:"v,omitempty"`
	Silent  string `json:"s,omitempty"`
	// Open is why the task leaves its scope open, "" if it does not: then only what the
	// agent itself calls a cleanup counts.
	Open string `json:"o,omitempty"`
	// Broad is set if it is open because the task is broad, so that an announced cleanup
	// is outside it.
	Broad bool `json:"broad,omitempty"`
	// Files are the files in scope; Names are what they are called, import and declare;
	// Led are the words of errors and of searches for terms of the task.
	Files []uint32 `json:"f,omitempty"`
	Names []uint32 `json:"n,omitempty"`
	Led   []uint32 `json:"l,omitempty"`
	Diffs []edit   `json:"d,omitempty"` // the last ones, oldest first
	// Related counts edits in scope; Flag is the turn of the last RF12 or RF13.
	Related int      `json:"r,omitempty"`
	Flag    int      `json:"g,omitempty"`
	Told    []uint32 `json:"t,omitempty"` // what was reported
}

// edit is one of the last DIFFs.
type edit struct {
	File    uint32   `json:"f"`
	Names   []uint32 `json:"n,omitempty"` // for an unrelated one: names of the file and what it declares
	Related bool     `json:"r,omitempty"`
	Styled  bool     `json:"s,omitempty"` // structure or style only
}

// maxEditNames bounds the names stored for an unrelated edit.
const maxEditNames = 6

func hash(text string) uint32 { return uint32(xxhash.Sum64String(text)) } // any 32 bits of it

// add adds values to a bounded set, the newest last.
func add(list []uint32, limit int, values ...uint32) []uint32 {
	for _, v := range values {
		if at := slices.Index(list, v); at >= 0 {
			list = slices.Delete(list, at, at+1)
		}
		list = append(list, v)
	}
	list = text.Newest(list, limit)
	return list
}

// stem returns a file's name without folders and extensions, in lower case; index files
// and the like are named by their folder. It also accepts modules as imports write them.
func stem(file string) string {
	file = strings.ToLower(strings.Trim(file, `./"'`))
	base := path.Base(strings.ReplaceAll(file, "::", "/"))
	name := strings.TrimLeft(base, "_.")
	if dot := strings.IndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	if placeholders[name] && strings.Contains(file, "/") {
		return stem(path.Dir(file))
	}
	return strings.ReplaceAll(name, "-", "_")
}

// placeholders are generic file names, in place of which the folder is used.
var placeholders = map[string]bool{"index": true, "init__": true, "init": true, "mod": true, "main": true, "lib": true, "page": true, "route": true}

// module returns the last part of an imported module: "app.auth.tokens" → "tokens".
func module(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, ".", "/")
	}
	return stem(name)
}
