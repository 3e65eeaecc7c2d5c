package events

import "crypto/sha256"

// InputID is the id a publisher gives an event by default: a function of what
// it says, so that sending it twice is the same event (EV-2). Key is the turn
// id of a turn, empty elsewhere; content is the data as JSON.
func InputID(t Type, subject, key string, content []byte) string {
	sum := sha256.Sum256(content)
	return HashID("input", string(t), subject, key, string(sum[:]))
}
