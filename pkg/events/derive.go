package events

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"
)

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// HashID returns the first 16 bytes of SHA-256 over the parts as 26 lower-case base32
// characters. Each part is preceded by its length, so that ("ab","c") and ("a","bc")
// differ.
func HashID(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return idEncoding.EncodeToString(h.Sum(nil)[:16])
}

// DerivedID returns the id of the ordinal-th event (from 0) that stage derived from the
// event causeSource/causeID (EV-2).
func DerivedID(stage, causeSource, causeID string, ordinal int) string {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(ordinal))
	return HashID(stage, causeSource, causeID, string(n[:]))
}

// SignalID returns an id that depends on what the signal is about, not on when it was
// computed (EV-2). Span is "segment:offset:length" of its first evidence.
func SignalID(session string, turn int, detector, subject, span string) string {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(turn))
	return HashID("signal", session, string(n[:]), detector, subject, span)
}

// ValidID reports whether s can be a session, run or agent id: [A-Za-z0-9_-]{1,128} (EV-3).
func ValidID(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
}
