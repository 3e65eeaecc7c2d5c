package wave

import (
	"iter"
	"slices"
)

// Waves are the waves of a run, by number.
type Waves []*Wave

// numbered returns a wave by its number, nil if it is unknown.
func (all Waves) numbered(number int) *Wave {
	i, ok := slices.BinarySearchFunc(all, number, func(w *Wave, n int) int { return w.Number - n })
	if !ok {
		return nil
	}
	return all[i]
}

// agents iterates over the agents of all waves.
func (all Waves) agents() iter.Seq2[*Wave, *Agent] {
	return func(yield func(*Wave, *Agent) bool) {
		for _, w := range all {
			for _, agent := range w.Agents {
				if !yield(w, agent) {
					return
				}
			}
		}
	}
}

// agentByID returns a wave agent by its id or session, nil if there is none.
func (all Waves) agentByID(id string) *Agent {
	for _, agent := range all.agents() {
		if id != "" && (agent.ID == id || agent.Session == id) {
			return agent
		}
	}
	return nil
}

// place returns the wave and agent that a branch belongs to, nil for any other branch. If
// a worktree was created for another agent than its branch names (WP-5), the named agent
// gets the branch as soon as it has a worktree on it.
func (all Waves) place(branch string) (*Wave, *Agent) {
	number, letter, ok := parseName(branch)
	w := all.numbered(number)
	if named := w.agent(letter); ok && named.onBranch(branch) {
		return w, named
	}
	for other, agent := range all.agents() {
		if agent.onBranch(branch) {
			return other, agent
		}
	}
	if !ok {
		return nil, nil
	}
	return w, w.agent(letter)
}

// worktree returns the agent of an existing worktree by its path or branch, nil if there is none.
func (all Waves) worktree(path, branch string) *Agent {
	for _, a := range all.agents() {
		if t := a.Worktree; t != nil && t.Live && (t.Path == path || branch != "" && t.Branch == branch) {
			return a
		}
	}
	return nil
}

// worktrees returns the paths of the existing worktrees.
func (all Waves) worktrees() (paths []string) {
	for _, a := range all.agents() {
		if a.Worktree != nil && a.Worktree.Live {
			paths = append(paths, a.Worktree.Path)
		}
	}
	return paths
}

// tainted returns the waves that were accepted as they are.
func (all Waves) tainted() (numbers []int) {
	for _, w := range all {
		if w.Tainted {
			numbers = append(numbers, w.Number)
		}
	}
	return numbers
}

// paths returns the number of files in the waves.
func (all Waves) paths() (n int) {
	for _, a := range all.agents() {
		n += len(a.Owns) + len(a.Files)
	}
	return n
}

// patterns returns the number of patterns that agents own.
func (all Waves) patterns() (n int) {
	for _, agent := range all.agents() {
		for _, entry := range agent.Owns {
			if isPattern(entry) {
				n++
			}
		}
	}
	return n
}
