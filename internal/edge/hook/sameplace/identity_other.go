//go:build !unix

package sameplace

import "os"

func user() string { return os.Getenv("USERNAME") }

// identity returns the path, as this system offers nothing better.
func identity(info os.FileInfo) string { return info.Name() }
