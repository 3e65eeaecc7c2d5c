package mockmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// object is a JSON object of a protocol.
type object = map[string]any

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return stream{w}
}

// send writes an event named after its type, if it has one.
func (s stream) send(event object) {
	data, err := json.Marshal(event)
	if err != nil {
		panic(err) // only objects of this package
	}
	if name, ok := event["type"]; ok {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// text returns a value as JSON text, for arguments that are sent as strings.
func text(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // only objects of this package
	}
	return string(data)
}
