// Package rescue keeps snapshots of uncommitted work in a repository, under
// refs/scaffoldwatch/rescue: what is changed and what is new, but not what Git ignores.
// A snapshot is a commit on top of HEAD. Neither the index nor a file is touched to make one.
package rescue
