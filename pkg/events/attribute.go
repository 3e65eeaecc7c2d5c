package events

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Extension attributes of the contract (EV-1, EV-2).
const (
	extCausation    = "causationid"
	extCorrelation  = "correlationid"
	extPartitionKey = "partitionkey"
	extTraceParent  = "traceparent"
	extRulesVersion = "rulesversion"
	extConfigHash   = "confighash"
	extCredential   = "credential"
)

// extensionField returns the field of an Event that holds one of our extensions, or nil
// for any other name.
func extensionField(e *Event, name string) *string {
	switch name {
	case extCausation:
		return &e.CausationID
	case extCorrelation:
		return &e.Correlation
	case extPartitionKey:
		return &e.PartitionKey
	case extTraceParent:
		return &e.TraceParent
	case extRulesVersion:
		return &e.RulesVersion
	case extConfigHash:
		return &e.ConfigHash
	case extCredential:
		return (*string)(&e.Credential)
	}
	return nil
}

var ownExtensions = []string{extCausation, extCorrelation, extPartitionKey, extTraceParent, extRulesVersion, extConfigHash, extCredential}

const hexDigits = "0123456789ABCDEF"

// percentEncode encodes an attribute as a header value the way the NATS binding requires:
// everything outside U+0021–U+007E, and the double quote and percent sign, as %XX of its
// UTF-8 bytes.
func percentEncode(s string) string {
	if strings.IndexFunc(s, needsEncoding) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; needsEncoding(rune(c)) || c >= utf8.RuneSelf {
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func needsEncoding(r rune) bool { return r < 0x21 || r > 0x7e || r == '"' || r == '%' }

// percentDecode reverses percentEncode. A percent sign without two hexadecimal digits
// after it is kept, since some senders do not encode.
func percentDecode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func unhex(c byte) int {
	if c >= 'a' && c <= 'f' {
		c -= 'a' - 'A'
	}
	return strings.IndexByte(hexDigits, c)
}

// sortedKeys returns the keys of m in order, so that output does not depend on map order.
func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
