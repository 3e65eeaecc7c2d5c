// Package rescue keeps snapshots of uncommitted work in a repository, under refs/scaffoldwatch/rescue:
// changed and new files, except those that Git ignores. A snapshot is a commit on top of HEAD. Taking one
// touches neither the index nor a file.
package rescue
