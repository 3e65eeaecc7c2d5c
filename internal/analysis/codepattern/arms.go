package codepattern

// changes are what was done to variables, in order, while arms of a branch are visited: so that an
// arm costs what it changes, however much is known before it.
type changes struct {
	list  []change
	noted int // branches that are visited
}

// change is what a variable was before; known is false where it was not set.
type change struct {
	scope *scope
	name  string
	old   variable
	known bool
}

// place is a variable of a scope.
type place struct {
	scope *scope
	name  string
}

// arms follow the alternatives of a branch: each begins with what was known before it, and afterwards a
// variable may have its value of any of them.
type arms struct {
	changes *changes
	start   int                  // of the changes of the arm that is visited
	ends    []map[place]variable // what each arm left of the variables that it changed
	order   []place              // that any arm changed
	seen    map[place]bool
}

func (s *scope) arms() *arms {
	s.changes.noted++
	return &arms{changes: s.changes, start: len(s.changes.list), seen: map[place]bool{}}
}

// end ends an arm: its variables are noted and set to what they were before it.
func (b *arms) end() {
	end := map[place]variable{}
	list := b.changes.list
	for _, c := range list[b.start:] {
		at := place{c.scope, c.name}
		end[at] = c.scope.variables[c.name]
		if !b.seen[at] {
			b.seen[at], b.order = true, append(b.order, at)
		}
	}
	for i := len(list) - 1; i >= b.start; i-- {
		if c := list[i]; c.known {
			c.scope.variables[c.name] = c.old
		} else {
			delete(c.scope.variables, c.name)
		}
	}
	b.changes.list = list[:b.start]
	b.ends = append(b.ends, end)
}

// again puts back what the last arm left, for one that it falls through to. The variables may also be
// what they were before.
func (b *arms) again() {
	last := b.ends[len(b.ends)-1]
	for _, at := range b.order {
		if v, ok := last[at]; ok {
			if old, known := at.scope.variables[at.name]; known {
				v = either(old, v)
			}
			at.scope.put(at.name, v)
		}
	}
}

// merge ends the branch. otherwise says that one of its arms surely runs.
func (b *arms) merge(otherwise bool) {
	b.changes.noted--
	if !otherwise {
		b.ends = append(b.ends, nil)
	}
	for _, at := range b.order {
		before, known := at.scope.variables[at.name]
		out, set := variable{}, false
		for _, end := range b.ends {
			v, ok := end[at]
			if !ok {
				v, ok = before, known
			}
			switch {
			case !ok:
			case set:
				out = either(out, v)
			default:
				out, set = v, true
			}
		}
		if set {
			at.scope.put(at.name, out)
		}
	}
}

// either is a variable that may be one or the other.
func either(a, b variable) variable {
	return variable{value: mix(a.value, b.value), depth: min(a.depth, b.depth), code: a.code}
}
