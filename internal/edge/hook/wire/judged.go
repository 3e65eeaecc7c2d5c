package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Headers of a hook call about a workspace that the service may not see (GD-20): the location as the hook
// sees it, and the hook's judgement.
const (
	PlaceHeader  = "X-Scaffoldwatch-Place"
	JudgedHeader = "X-Scaffoldwatch-Judged"
)

// Judged is the guard's answer where the agent runs. Decided is its record, nil if the call is simply
// permitted.
type Judged struct {
	Deny    string                      `json:"deny,omitempty"`
	Context string                      `json:"context,omitempty"`
	Person  string                      `json:"person,omitempty"`
	Decided *sessionevents.GuardDecided `json:"decided,omitempty"`
}

// maxJudged limits the header, in bytes: a service accepts 64 KB of headers.
const maxJudged = 48 << 10

// Encode returns the value of the header. If there are too many acts for it, the first ones are kept.
func (j Judged) Encode() (string, error) {
	for {
		data, err := json.Marshal(j)
		if err != nil {
			return "", fmt.Errorf("encode what was judged: %w", err)
		}
		text := base64.StdEncoding.EncodeToString(data)
		if len(text) <= maxJudged || j.Decided == nil || len(j.Decided.Acts) < 2 {
			return text, nil
		}
		fewer := *j.Decided
		fewer.Acts = fewer.Acts[:len(fewer.Acts)/2]
		j.Decided = &fewer
	}
}

// DecodeJudged decodes the header's value.
func DecodeJudged(text string) (Judged, error) {
	var j Judged
	if len(text) > maxJudged {
		return j, fmt.Errorf("%s is longer than %d bytes", JudgedHeader, maxJudged)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err != nil {
		return j, fmt.Errorf("read %s: %w", JudgedHeader, err)
	}
	return j, nil
}
