// Package strict decodes JSON that somebody may have edited, so that every program reads the same from it.
package strict

import (
	"errors"
	"fmt"

	json "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Decode decodes exactly one JSON value. It rejects unknown, repeated or differently capitalised fields,
// text that is not UTF-8, and anything after the value: another program might read these differently
// (AU-11).
func Decode(data []byte, to any) error {
	err := json.Unmarshal(data, to, json.RejectUnknownMembers(true), jsonv1.FormatDurationAsNano(true))
	var unknown *json.SemanticError
	if errors.As(err, &unknown) && errors.Is(err, json.ErrUnknownName) {
		return fmt.Errorf("unknown field %q", unknown.JSONPointer.LastToken())
	}
	return err
}
