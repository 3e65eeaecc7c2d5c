package model

import (
	"errors"
	"strings"
)

// WithoutKey returns err unless its text contains the provider's key; then it returns a replacement.
func WithoutKey(err error, key string) error {
	if key != "" && strings.Contains(err.Error(), key) {
		return errors.New("the request failed")
	}
	return err
}
