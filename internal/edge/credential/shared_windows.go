package credential

import "io/fs"

// shared cannot be read from the mode here: the directory's access list protects
// the file.
func shared(fs.FileInfo) bool { return false }
