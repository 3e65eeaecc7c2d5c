package secrets

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

func isPrivateKey(rule string) bool { return rule == "private-key" || rule == "private-key-cut" }

// structured checks what an expression cannot: a JWT's header is JSON, a
// private key's body is base64.
func structured(rule, value string) bool {
	switch {
	case rule == "jwt" || rule == "jwt-unsigned":
		header, _, _ := strings.Cut(value, ".")
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(header, "="))
		return err == nil && json.Valid(raw)
	case isPrivateKey(rule):
		return base64Share(value) >= 0.75
	default:
		return true
	}
}

// base64Share returns the share of a key block's body that consists of runs of base64, not counting
// escapes, quotes and white space.
func base64Share(block string) float64 {
	_, body, _ := strings.Cut(block, "KEY")
	if i := strings.Index(body, "-----END"); i >= 0 {
		body = body[:i]
	}
	body = strings.NewReplacer(`\n`, "\n", `\r`, "\n", `\`, "", "-----", "", "BLOCK", "").Replace(body)
	good, all := 0, 0
	for _, run := range strings.FieldsFunc(body, func(r rune) bool { return r <= ' ' || r == '"' || r == '\'' || r == ',' }) {
		run = strings.Trim(run, "+-")
		all += len(run)
		if len(run) >= minimumRun {
			good += base64Bytes(run)
		}
	}
	if all < 64 {
		return 0
	}
	return float64(good) / float64(all)
}

// minimumRun is the least length of a line of base64; words are shorter.
const minimumRun = 16

func base64Bytes(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; isWord(c) && c != '_' || c == '+' || c == '/' || c == '=' {
			n++
		}
	}
	return n
}
