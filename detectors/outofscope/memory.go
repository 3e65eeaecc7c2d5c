package outofscope

import (
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// memory is what D1 keeps of a session: hashes of what is in scope, bounded.
type memory struct {
	// Version changes when the scope is extended; Silent is the reason why the scope does not limit
	// files, "" if it does.
	Version int    `json:"v,omitempty"`
	Silent  string `json:"s,omitempty"`
	// Open says why the task leaves its scope open, "" when it does not: then only
	// what the agent itself calls a cleanup counts.
	Open string `json:"o,omitempty"`
	// Broad: it is open because the task is broad, so that an announced cleanup is outside of it.
	Broad bool `json:"broad,omitempty"`
	// Files are those in scope, Names what they are called, import and declare,
	// Led the words of errors and of searches for terms of the task.
	Files []uint32 `json:"f,omitempty"`
	Names []uint32 `json:"n,omitempty"`
	Led   []uint32 `json:"l,omitempty"`
	Diffs []edit   `json:"d,omitempty"` // the last ones, oldest first
	// Related counts edits in scope, Flag is the turn of the last RF12 or RF13.
	Related int      `json:"r,omitempty"`
	Flag    int      `json:"g,omitempty"`
	Told    []uint32 `json:"t,omitempty"` // what was signaled
}

// edit is one of the last DIFFs.
type edit struct {
	File    uint32   `json:"f"`
	Names   []uint32 `json:"n,omitempty"` // of an unrelated one: of the file and what it declares
	Related bool     `json:"r,omitempty"`
	Styled  bool     `json:"s,omitempty"` // structure or style, no other change
}

// maxEditNames bounds the names kept of an unrelated edit.
const maxEditNames = 6

func hash(text string) uint32 { return uint32(xxhash.Sum64String(text)) } // any 32 bits of it

// add puts values into a bounded set, the newest last.
func add(list []uint32, limit int, values ...uint32) []uint32 {
	for _, v := range values {
		if at := slices.Index(list, v); at >= 0 {
			list = slices.Delete(list, at, at+1)
		}
		list = append(list, v)
	}
	if extra := len(list) - limit; extra > 0 {
		list = slices.Clone(list[extra:])
	}
	return list
}

// stem is a file's name without folders and endings, lower case; an index file
// and the like go by their folder. Modules as written in imports work too.
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

// placeholders are file names that say nothing; their folder does.
var placeholders = map[string]bool{"index": true, "init__": true, "init": true, "mod": true, "main": true, "lib": true, "page": true, "route": true}

// module is the last part of an imported module: "app.auth.tokens" → "tokens".
func module(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, ".", "/")
	}
	return stem(name)
}
