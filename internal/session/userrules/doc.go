// Package userrules turns a user's own rules into detectors: the section `userrules` of a
// rules file holds conditions in the expr language over the turn's segments, the registry
// and counters of their own. They are scored, budgeted and documented like the detectors
// that are built in (SW-30, SW-32).
//
// A condition is pure and bounded, which is checked when the rules are loaded: no clock,
// no randomness, no way to lengthen text, and loops only over lists whose total size is
// limited. A failure at run time is counted and recorded once per session; it never stops
// a turn.
package userrules
