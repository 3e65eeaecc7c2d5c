package notify

import "sync"

// taken remembers who already got a mail that others could not get yet, so that a retry does not send it
// twice. A restart forgets it.
type taken struct {
	mu sync.Mutex
	by map[string][]string // recipients by the message's key
}

// mostTaken limits the mails that are remembered.
const mostTaken = 1000

func (t *taken) of(key string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.by[key]...)
}

// note remembers who got a mail until all recipients are done.
func (t *taken) note(key string, got []string, done bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.by, key)
	if done || len(t.by) >= mostTaken {
		return
	}
	t.by[key] = got
}
