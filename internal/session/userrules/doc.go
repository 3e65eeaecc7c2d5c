// Package userrules turns a user's own rules into detectors: the section `userrules` of a rules
// file holds conditions in the expr language over the turn's segments, the registry and counters of
// their own. They are scored, budgeted and documented like the detectors that are built in (SW-30,
// SW-32).
//
// A condition is pure and bounded: no clock, no randomness, no way to make text
// longer, loops only over lists whose total size is limited, checked when the
// rules are loaded. One that fails at run time is counted and recorded once a
// session; it never stops a turn.
package userrules
