package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// ValidUTF8 returns data with invalid UTF-8 replaced by U+FFFD. Valid data is returned
// unchanged (EV-3).
func ValidUTF8(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	return bytes.ToValidUTF8(data, []byte("\uFFFD"))
}

// DecodeData reads the JSON data of a type into a new value of its Go type and returns a
// pointer to it. Unknown fields are ignored here; Event.Raw keeps them (EV-3).
func DecodeData(t Type, data []byte) (any, error) {
	d, err := Describe(t)
	if err != nil {
		return nil, err
	}
	v := d.New()
	if d.RunEvent {
		data = tolerant(data, reflect.TypeOf(v))
	}
	if err := decodeJSON(data, v); err != nil {
		var wrong *time.ParseError
		if errors.As(err, &wrong) {
			err = errNotTime // the cause quotes the value, which may be a secret (SW-7)
		}
		return nil, &invalid.Error{Code: invalid.BadData, Field: "data", Problem: fmt.Sprintf("does not have the shape of %s", t), Err: err, Cure: "see the JSON Schema of the type"}
	}
	if d.RunEvent {
		settleWords(v)
	}
	return v, nil
}

// decodeJSON is [json.Unmarshal] in two thirds of the time. What the faster decoder
// refuses is read again by the standard library, whose error is returned.
func decodeJSON(data []byte, v any) error {
	if jsonv1.Unmarshal(data, v) == nil {
		return nil
	}
	reflect.ValueOf(v).Elem().SetZero()
	return json.Unmarshal(data, v)
}

var errNotTime = errors.New("a time is not in RFC 3339 format")

// decodeInto fills Data, Raw (of input events and unknown types) and the group.
func decodeInto(e *Event, data []byte) error {
	data = ValidUTF8(data)
	d, known := Lookup(e.Type)
	if !known || d.Direction == DirectionInput {
		e.Raw = json.RawMessage(data)
	}
	if !known {
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &invalid.Error{Code: invalid.BadData, Field: "data", Problem: fmt.Sprintf("%s has no data", e.Type), Cure: "see the JSON Schema of the type"}
	}
	v, err := DecodeData(e.Type, data)
	if err != nil {
		return err
	}
	e.Data = v
	if d.RunEvent {
		e.Raw = tolerant(data, reflect.TypeOf(v))
	}
	e.JoinRun()
	return nil
}

// JoinRun puts a session's event whose data names a run into the partition of the run's
// other events: it sets PartitionKey and Correlation where they are empty (EV-4).
// Decoding does this for publishers that left them out.
func (e *Event) JoinRun() {
	run := textField(e.Data, "Run")
	if d, ok := Lookup(e.Type); ok && d.RunEvent && run == "" {
		run = e.Subject
	}
	if run == "" {
		return
	}
	if e.PartitionKey == "" {
		e.PartitionKey = run
	}
	if e.Correlation == "" {
		e.Correlation = run
	}
}

// textField returns a string field of a data struct by its Go name, or "" if the struct
// does not have it.
func textField(data any, name string) string {
	v := reflect.Indirect(reflect.ValueOf(data))
	if v.Kind() != reflect.Struct {
		return ""
	}
	f := v.FieldByName(name)
	if !f.IsValid() || f.Kind() != reflect.String {
		return ""
	}
	return f.String()
}

// EncodeData returns the JSON of an event's data. An input event keeps the fields of Raw
// that its Go type does not know (EV-3); without Data, Raw is passed on unchanged. A
// stage that redacts Data must also redact or clear Raw.
func EncodeData(e Event) ([]byte, error) {
	if e.Data == nil {
		return e.Raw, nil
	}
	if err := checkDataType(e); err != nil {
		return nil, err
	}
	known, err := json.Marshal(withEmptyLists(e.Data))
	if err != nil {
		return nil, fmt.Errorf("encode data of %s %s: %w", e.Type, e.ID, err)
	}
	if len(e.Raw) == 0 {
		return known, nil
	}
	return keepUnknown(known, e.Raw, reflect.TypeOf(e.Data))
}

func checkDataType(e Event) error {
	d, ok := Lookup(e.Type)
	if !ok {
		return unknownType(e.Type)
	}
	want := reflect.TypeOf(d.New())
	if reflect.TypeOf(e.Data) != want || reflect.ValueOf(e.Data).IsNil() {
		return &invalid.Error{Code: invalid.BadData, Field: "data", Problem: fmt.Sprintf("%s carries a %T, not the %s of its type", e.Type, e.Data, want)}
	}
	return nil
}

// withEmptyLists writes a required list that is nil as [] rather than null, which the
// contract's JSON Schemas do not allow. It changes a copy.
func withEmptyLists(data any) any {
	original := reflect.ValueOf(data).Elem()
	if original.Kind() != reflect.Struct {
		return data
	}
	var changed reflect.Value
	for i := range original.NumField() {
		f := original.Field(i)
		if f.Kind() != reflect.Slice || !f.IsNil() || f.Type().Elem().Kind() == reflect.Uint8 || optional(original.Type().Field(i)) {
			continue
		}
		if !changed.IsValid() {
			changed = reflect.New(original.Type())
			changed.Elem().Set(original)
		}
		changed.Elem().Field(i).Set(reflect.MakeSlice(f.Type(), 0, 0))
	}
	if changed.IsValid() {
		return changed.Interface()
	}
	return data
}

// optional reports whether a field may be left out of its JSON object.
func optional(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.Contains(options, "omit")
}
