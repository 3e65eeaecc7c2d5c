package run

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Letters is the details of ActAcknowledgeLetters: the dead letters that an operator saw.
type Letters struct {
	Letters []LetterSeen `json:"letters"`
}

// LetterSeen is one dead letter.
type LetterSeen struct {
	Number uint64 `json:"number"` // sequence in DEADLETTER
	// Mark is SHA-256 (hex) of the letter's subject and data, so that another letter that gets
	// the number later is not acknowledged with it.
	Mark string `json:"mark"`
	// Retried means that its input was sent again.
	Retried bool `json:"retried,omitempty"`
}

// ParseLetters reads and validates the details of an act that acknowledges dead letters.
func ParseLetters(act *OperatorAct) (l Letters, err error) {
	if err := json.Unmarshal(act.Details, &l); err != nil {
		return l, fmt.Errorf("read acknowledged dead letters: %w", err)
	}
	if len(l.Letters) == 0 {
		return l, errors.New("no dead letters are acknowledged")
	}
	return l, nil
}
