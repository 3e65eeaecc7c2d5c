package codex

// twins distinguishes a message that a second source repeats from one that was really said twice. It
// remembers the texts of the open response and the previous one.
type twins map[twin]*count

type twin struct{ kind, text string }

type count struct {
	of  map[string]int // source → number of times
	age int
}

// seen counts the text for a source and reports whether another source has already written it as often.
func (t twins) seen(kind, source, text string) bool {
	c := t[twin{kind, text}]
	if c == nil {
		c = &count{of: map[string]int{}}
		t[twin{kind, text}] = c
	}
	c.of[source]++
	for other, n := range c.of {
		if other != source && n >= c.of[source] {
			return true
		}
	}
	return false
}

// age forgets what was said before the last response.
func (t twins) age() {
	for key, c := range t {
		if c.age++; c.age > 2 {
			delete(t, key)
		}
	}
}
