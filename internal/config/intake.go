package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Intake is an entry of streams.intakes: how many messages the publishers of an account may send in any
// window of time.
type Intake struct {
	Account  string
	Messages int64
	Window   time.Duration
}

// Limits of the window. An intake removes messages by age, even those that INPUT could not copy before
// then, so a window is far longer than a cluster takes to elect its leaders.
const (
	leastWindow = time.Minute
	mostWindow  = 24 * time.Hour
)

// accountName reports whether a name can be part of a stream's name and of a subject.
func accountName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// ParseIntake parses ACCOUNT=MESSAGES/WINDOW.
func ParseIntake(text string) (Intake, error) {
	account, rest, _ := strings.Cut(text, "=")
	number, window, found := strings.Cut(rest, "/")
	messages, err := strconv.ParseInt(number, 10, 64)
	if !found || err != nil || !accountName(account) {
		return Intake{}, errors.New("must be ACCOUNT=MESSAGES/WINDOW, for example SHOP=5000/15m")
	}
	i := Intake{Account: account, Messages: messages}
	if i.Window, err = time.ParseDuration(window); err != nil || i.Window < leastWindow || i.Window > mostWindow {
		return Intake{}, fmt.Errorf("its window is from %s to %s", leastWindow, mostWindow)
	}
	if i.Messages < 1 {
		return Intake{}, errors.New("must be at least 1 message")
	}
	return i, nil
}

// checkIntakes requires that each account occurs once. INPUT copies an intake in order and blocks on what
// it rejects, so a quota for sessions would stop a whole account.
func checkIntakes(s Streams, check func(ok bool, key string, value any, cure string)) {
	seen := map[string]bool{}
	for _, text := range s.Intakes {
		i, err := ParseIntake(text)
		if err != nil {
			check(false, "streams.intakes", text, err.Error())
			continue
		}
		check(!seen[i.Account], "streams.intakes", text, "it names an account twice")
		seen[i.Account] = true
	}
	check(len(s.Intakes) == 0 || s.InputQuota == 0, "streams.input_quota", s.InputQuota, "must be 0 together with streams.intakes: INPUT would stop at the first message of an account that it rejects")
}
