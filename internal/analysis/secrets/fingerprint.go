package secrets

import (
	"strings"

	"github.com/minio/highwayhash"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
)

// Marker parts: a secret becomes ‹secret:RULE:FINGERPRINT› (SW-7).
const (
	MarkerOpen  = "‹secret:"
	MarkerClose = "›"
)

// Fingerprint returns the fingerprint of the value under the scanner's key (SW-7).
func (s *Scanner) Fingerprint(value string) string { return fingerprint.Of(s.key, value) }

// Check returns a keyed hash of the value that takes a tenth of the time of its fingerprint: it shows
// which of many stretches of text are worth a fingerprint.
func (s *Scanner) Check(value string) uint32 {
	return uint32(highwayhash.Sum64([]byte(value), s.checkKey[:]))
}

// markerAround returns the end of the well-formed marker that begins at text[pos], 0 without one:
// nothing in a marker is a name or a value (SW-7), so redacted text is not redacted again.
func markerAround(text string, pos int) int {
	start := pos - len("‹")
	if start < 0 || !strings.HasPrefix(text[start:], MarkerOpen) {
		return 0
	}
	at := start + len(MarkerOpen)
	for at < len(text) && (isWord(text[at]) || text[at] == '-') {
		at++
	}
	const digits = 12
	end := at + 1 + digits
	if at >= len(text) || text[at] != ':' || end > len(text) || !strings.HasPrefix(text[end:], MarkerClose) {
		return 0
	}
	if strings.Trim(text[at+1:end], "0123456789abcdef") != "" {
		return 0
	}
	return end + len(MarkerClose)
}

// Marker returns the text that replaces a secret in everything that is stored (SW-7).
func Marker(rule, fingerprint string) string {
	return MarkerOpen + rule + ":" + fingerprint + MarkerClose
}
