package secrets

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// ScanKey is the fixed, documented key of `scan`, so that its runs compare
// (SW-7). An installation has a key of its own.
const ScanKey = "scaffoldwatch/scan/v1: fixed fingerprint key, no secret"

// Marker parts: a secret becomes ‹secret:RULE:FINGERPRINT› (SW-7).
const (
	MarkerOpen  = "‹secret:"
	MarkerClose = "›"
)

// Fingerprint is the first 12 hex digits of HMAC-SHA256 of the value with the
// scanner's key (SW-7).
func (s *Scanner) Fingerprint(value string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(value))
	return hex.EncodeToString(mac.Sum(nil)[:6])
}

// Marker is what stands for a secret in everything that is stored (SW-7).
func Marker(rule, fingerprint string) string {
	return MarkerOpen + rule + ":" + fingerprint + MarkerClose
}
