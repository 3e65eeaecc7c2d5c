// Package histories keeps recorded histories of the sample fleet: what each stage read and
// what it derived, in the build that recorded it. The test folds the recorded input of each
// stage again and compares every event (AU-13). A change that decides otherwise fails there
// until the histories are renewed:
//
//	go test -tags gore2regex ./test/histories -update
//
// It prints what changed, and CHANGELOG.md then needs a line that says what changes for
// users. FILE.txt beside a history lists what a person sees of it, so that the difference
// can be reviewed. Rules version and configuration hash are not compared: an edited rule
// that decides the same here passes.
//
// A new history of today's fleet is added with -record NAME; the ones of earlier builds
// remain, so that input of an earlier form is still read.
package histories
