package shareddata

import "crypto/sha256"

// Counted reports whether a labelled item belongs to the half that is only counted and never read while rules
// are written (JD-61); id is the item's permanent identity: a session, a case, a pair of twins.
func Counted(id string) bool {
	sum := sha256.Sum256([]byte(id))
	return sum[0]&1 == 1
}
