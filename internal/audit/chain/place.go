package chain

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// internal reports whether a message is a snapshot or a skip.
func internal(subject string) bool {
	return strings.HasPrefix(subject, "snap.") || strings.HasPrefix(subject, "skip.")
}

// place returns the partition in a subject, -1 if it has none.
func place(subject string) (partition int, isCheckpoint bool) {
	if !internal(subject) {
		return proof.Partition(subject)
	}
	tokens := strings.SplitN(subject, ".", 4)
	if len(tokens) < 4 {
		return -1, false
	}
	partition, err := strconv.Atoi(tokens[2])
	if err != nil {
		return -1, false
	}
	return partition, false
}

// group returns the group in an event's subject.
func group(subject string) string {
	tokens := strings.Split(subject, ".")
	if len(tokens) < 2 {
		return ""
	}
	return tokens[len(tokens)-2]
}

// clip shortens untrusted text of a message.
func clip(s string) string {
	return strconv.QuoteToGraphic(text.Cut(s, 80))
}

func digestOf(digest string) string {
	if digest == "" {
		return "none"
	}
	return digest[:min(len(digest), 16)]
}
