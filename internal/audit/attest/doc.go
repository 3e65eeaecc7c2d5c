// Package attest makes and checks attestations (AU-30): an in-toto v1 statement in a DSSE
// envelope that says of commits and sessions which agents worked on them, what was watched,
// found, said and heeded, what was stopped and who decided, under which rules.
//
// It is made of what is recorded alone, holds no text of a transcript, and verifies
// offline; with the recorded events at hand it can be derived again and compared.
package attest
