package notice

import "slices"

// purge removes what the outbox holds about a session or run that an operator erased (AU-40). Lines about
// past messages contain their titles, but not what they were about, so all of them are removed.
func (s *State) purge(group string) {
	of := func(n Notice) bool { return n.Subject == group || n.Run == group }
	delete(s.Runs, group)
	for key, g := range s.Groups {
		g.Waiting, g.Open = slices.DeleteFunc(g.Waiting, of), slices.DeleteFunc(g.Open, of)
		if g.Run == group || len(g.Waiting)+len(g.Open) == 0 && g.Run != "" {
			delete(s.Groups, key)
		}
	}
	s.Outbox = slices.DeleteFunc(s.Outbox, func(m *Message) bool { return m.Run == group || slices.ContainsFunc(m.Notices, of) })
	s.Facts = slices.DeleteFunc(s.Facts, func(f Fact) bool { return f.Subject == group || f.Run == group })
	s.Past = nil
}
