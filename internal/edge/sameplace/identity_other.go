//go:build !unix

package sameplace

import "os"

func user() string { return os.Getenv("USERNAME") }

// identity: the path is all there is.
func identity(info os.FileInfo) string { return info.Name() }
