// Package attest makes and checks attestations (AU-30): in-toto v1 statements in a DSSE envelope that
// state, for commits and sessions, which agents worked on them, what was watched, found, said and heeded,
// what was stopped, who decided, and under which rules.
//
// An attestation is derived from the record alone, contains no text of a transcript, and verifies offline.
// With the recorded events at hand it can be derived again and compared.
package attest
