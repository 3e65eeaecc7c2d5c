// Package detecttest runs a detector over the scripts in its testdata: readable conversations with
// their expectations, in the language of package scenario. Run with -update to rewrite the
// expectations; explain every difference.
//
// Files called firing*.txt must hold a signal of the detector that is not
// suppressed, files called silent*.txt must hold none; each detector needs both.
package detecttest
