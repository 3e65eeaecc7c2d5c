// Package fingerprint identifies a secret without showing it (SW-7). It is separate from the
// scanner, so programs that only need the key do not link the scanner's rules.
package fingerprint

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// ScanKey is the fixed, documented key of `scan`, so that runs are comparable. It is public; every
// installation has its own key.
const ScanKey = "scaffoldwatch/scan/v1: fixed fingerprint key, no secret"

// Of returns the first 12 hex digits of HMAC-SHA256 of the value.
func Of(key []byte, value string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(value))
	return hex.EncodeToString(mac.Sum(nil)[:6])
}
