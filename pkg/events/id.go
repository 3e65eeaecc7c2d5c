package events

import "crypto/sha256"

// InputID returns the default id of a published event: a function of its content, so that
// sending it twice is the same event (EV-2). Key is the turn id of a turn, empty for
// other types; content is the data as JSON.
func InputID(t Type, subject, key string, content []byte) string {
	sum := sha256.Sum256(content)
	return HashID("input", string(t), subject, key, string(sum[:]))
}
