package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Hash identifies a schema independently of the order of its members and its white space:
// "sha256:" and the hex digest of its canonical JSON (keys sorted, no white space,
// numbers as written).
func Hash(text []byte) (string, error) {
	canonical, err := Canonical(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Canonical returns the canonical form of a JSON text.
func Canonical(text []byte) ([]byte, error) {
	if len(text) > MaxSchemaBytes || deeper(text, MaxDepth) {
		return nil, fmt.Errorf("more than %d bytes or %d levels", MaxSchemaBytes, MaxDepth)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
