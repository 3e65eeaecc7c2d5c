package model

import (
	"errors"
	"strings"
)

// WithoutKey is an error that does not hold the provider's key; one whose text does is replaced.
func WithoutKey(err error, key string) error {
	if key != "" && strings.Contains(err.Error(), key) {
		return errors.New("the request failed")
	}
	return err
}
