package wave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// wavePlanned folds the ownership table of a wave; a later one replaces it (WP-6).
var wavePlanned = Rule{ID: "WP-6", Folds: true, On: run.Types(runevents.TypeWavePlanned), Run: run.With(func(c *Context, d *runevents.WavePlanned) {
	w := c.state.needWave(c.config, d.Wave)
	if w == nil {
		return
	}
	for _, agent := range w.Agents {
		agent.Owns = nil
	}
	w.Agents = slices.DeleteFunc(w.Agents, func(agent *Agent) bool { return w.Planned && agent.untouched() })
	w.Planned = true
	for _, one := range d.Agents {
		agent := c.state.needAgent(c.config, w, one.Letter)
		if agent == nil {
			continue
		}
		for _, file := range one.Owns {
			ownership{c, agent}.own(file)
		}
	}
	c.wave = w
})}

// scaffoldsForPlannedSolo is WP-13 once the plan is known.
var scaffoldsForPlannedSolo = Rule{ID: "WP-13", On: run.Types(runevents.TypeWavePlanned), Run: func(c *Context) {
	if c.wave != nil && c.state.Plan.Waves > 0 {
		c.soloScaffolds()
	}
}}

// untouched reports whether an agent appears only in the plan.
func (agent *Agent) untouched() bool {
	return agent.Worktree == nil && agent.Started == "" && agent.Ended == "" && !agent.Descoped
}

// ownership is what an agent owns by the plan and what it changed (WP-6).
type ownership struct {
	*Context
	agent *Agent
}

func (o ownership) own(file string) {
	if file = o.config.cleaned(file); file == "" || slices.Contains(o.agent.Owns, file) {
		return
	}
	if o.state.paths() >= o.config.Kept.Paths || isPattern(file) && (o.state.Cut || o.state.Waves.patterns() >= o.config.Kept.Patterns) {
		o.state.Cut = true
		return
	}
	o.agent.Owns = append(o.agent.Owns, file)
}

// ownershipOverlap is WP-6 for a plan that changes after the launch, and for one read
// from its document, where the gate launch is not asked (I1).
var ownershipOverlap = Rule{ID: "WP-6", On: run.Types(runevents.TypeWavePlanned), Run: func(c *Context) {
	w := c.wave
	if w == nil || !w.LaunchAllowed && !c.state.Document {
		return
	}
	q := &question{Context: c, gate: runevents.GateLaunch, wave: w.Number, w: w}
	for _, o := range plannedOverlap(q) {
		if o.breaks != nil {
			q.breaks(o.breaks)
		}
	}
}}

// plannedOverlap is WP-6 before the launch (I1, E3): no file may have two owners.
func plannedOverlap(q *question) []objection {
	if q.w == nil {
		return nil
	}
	if q.state.Cut {
		return []objection{{rule: "WP-6", why: "The run has more waves, agents or files than are watched (wave.kept), so that ownership cannot be verified."}}
	}
	var out []objection
	agents := q.w.scoped()
	if apart(agents) {
		return nil
	}
	tables := make([]table, len(agents))
	for i, agent := range agents {
		tables[i] = q.config.tableOf(agent)
	}
	for i, one := range agents {
		for j := i + 1; j < len(agents); j++ {
			files := tables[i].common(tables[j], q.config.Kept.References)
			if len(files) == 0 {
				continue
			}
			why := fmt.Sprintf("Agents %s and %s of wave %d are both planned to own %s.", one.Letter, agents[j].Letter, q.wave, phrase(files))
			out = append(out, objection{rule: "WP-6", why: why + " Give each file one owner and plan the wave again.", evidence: q.at(files), breaks: &judgement{
				code: codeOwnershipOverlap, wave: q.wave, letter: one.Letter, what: why, evidence: q.at(files),
			}})
		}
	}
	return out
}

// changed records the files that an agent changed or created. Without blobs only the
// paths are reported, and known contents are kept.
func (o ownership) changed(files []string, blobs map[string]string) {
	o.touched(files, blobs, false)
}

// reported records the files that an agent says it changed or created; the latest report
// counts.
func (o ownership) reported(files ...string) {
	if len(files) > 0 {
		o.only(files, true)
	}
	o.touched(files, nil, true)
}

// only drops the files that are no longer among the given ones, either claimed ones or
// those that infrastructure saw. What an agent wrote into the plan document is kept.
func (o ownership) only(files []string, claimed bool) {
	keep := o.config.all(files)
	slices.Sort(keep)
	o.agent.Files = slices.DeleteFunc(o.agent.Files, func(f Changed) bool {
		_, kept := slices.BinarySearch(keep, f.Path)
		return f.Claimed == claimed && !kept && !matches(o.config.PlanDocuments, f.Path)
	})
}

func (o ownership) touched(files []string, blobs map[string]string, claimed bool) {
	for _, raw := range files {
		file := o.config.cleaned(raw)
		if file == "" {
			continue
		}
		i, known := slices.BinarySearchFunc(o.agent.Files, file, func(c Changed, p string) int { return strings.Compare(c.Path, p) })
		if known {
			o.agent.Files[i].Claimed = o.agent.Files[i].Claimed && claimed
		}
		switch {
		case known && blobs != nil:
			o.agent.Files[i].Blob, o.agent.Files[i].Event = blobs[raw], o.Event.ID
		case known:
		case o.state.paths() >= o.config.Kept.Paths:
			o.state.Cut = true
		default:
			o.agent.Files = slices.Insert(o.agent.Files, i, Changed{file, blobs[raw], o.Event.ID, claimed})
		}
	}
}

// changedOverlap is WP-6 at the merge (I1, E11, E12).
func changedOverlap(q *question) []objection {
	if q.w == nil || q.w.solo() {
		return nil
	}
	if q.state.Cut {
		return []objection{{rule: "WP-6", why: "The run has more waves, agents or files than are watched (wave.kept), so that the files of its agents cannot be compared."}}
	}
	var out []objection
	agents := q.w.scoped()
	for i, one := range agents {
		for _, other := range agents[i+1:] {
			out = append(out, q.bothChanged(one, other)...)
		}
	}
	for _, agent := range agents {
		out = append(out, q.strayed(agent, agents)...)
	}
	return out
}

// Ways to lift the objection to a file of two agents.
const (
	takeOut  = " Only one branch may bring a file: take it out of the other and ask again."
	giveBack = " Leave it to its owner: take it out of the branch and ask again."
)

// bothChanged compares the changes of two agents.
func (q *question) bothChanged(one, other *Agent) []objection {
	var differ, same []runevents.Reference
	for _, file := range one.Files {
		i, both := slices.BinarySearchFunc(other.Files, file.Path, func(c Changed, p string) int { return strings.Compare(c.Path, p) })
		if !both || q.config.shared(file.Path) {
			continue
		}
		refs := []runevents.Reference{{Event: file.Event, Path: file.Path, What: one.Letter}, {Event: other.Files[i].Event, Path: file.Path, What: other.Letter}}
		if file.Blob != "" && file.Blob == other.Files[i].Blob {
			same = append(same, refs...)
		} else {
			differ = append(differ, refs...)
		}
	}
	var out []objection
	if len(differ) > 0 {
		why := fmt.Sprintf("Agents %s and %s both changed %s.", one.Letter, other.Letter, phrase(pathsOf(differ)))
		out = append(out, objection{rule: "WP-6", why: why + takeOut, evidence: differ, breaks: &judgement{code: codeFilesOverlap, wave: q.wave, letter: one.Letter, what: why, evidence: differ}})
	}
	if len(same) > 0 {
		why := fmt.Sprintf("Agents %s and %s both made %s with the same content.", one.Letter, other.Letter, phrase(pathsOf(same)))
		out = append(out, objection{rule: "WP-6", why: why, evidence: same, warn: true, breaks: &judgement{code: codeIdenticalFile, wave: q.wave, letter: one.Letter, what: why, evidence: same}})
	}
	return out
}

// strayed returns objections to an agent's files outside its own set: a break if another
// agent owns them (E12), otherwise a warning.
func (q *question) strayed(agent *Agent, all []*Agent) []objection {
	var stray []runevents.Reference
	var out []objection
	for _, file := range agent.Files {
		if len(agent.Owns) == 0 || q.config.shared(file.Path) || ownedBy(agent, file.Path) {
			continue
		}
		ref := runevents.Reference{Event: file.Event, Path: file.Path}
		owner := slices.IndexFunc(all, func(other *Agent) bool { return other != agent && ownedBy(other, file.Path) })
		if owner < 0 {
			if !changedByOther(agent, all, file.Path) {
				stray = append(stray, ref)
			}
			continue
		}
		if changedBy(all[owner], file.Path) {
			continue // reported as a file that both changed
		}
		why := fmt.Sprintf("Agent %s changed %s, which agent %s owns.", agent.Letter, file.Path, all[owner].Letter)
		out = append(out, objection{rule: "WP-6", why: why + giveBack, evidence: []runevents.Reference{ref}, breaks: &judgement{code: codeForeignFile, wave: q.wave, letter: agent.Letter, what: why, evidence: []runevents.Reference{ref}}})
	}
	if len(stray) > 0 {
		why := fmt.Sprintf("Agent %s changed %s outside its own set; nobody else has a part in it.", agent.Letter, phrase(pathsOf(stray)))
		out = append(out, objection{rule: "WP-6", why: why, evidence: stray, warn: true, breaks: &judgement{code: codeOutsideOwnership, wave: q.wave, letter: agent.Letter, what: why, evidence: stray}})
	}
	return out
}

func ownedBy(agent *Agent, file string) bool {
	return slices.ContainsFunc(agent.Owns, func(entry string) bool { return owns(entry, file) })
}

func changedBy(agent *Agent, file string) bool {
	_, found := slices.BinarySearchFunc(agent.Files, file, func(c Changed, p string) int { return strings.Compare(c.Path, p) })
	return found
}

func changedByOther(agent *Agent, all []*Agent, file string) bool {
	return slices.ContainsFunc(all, func(other *Agent) bool { return other != agent && changedBy(other, file) })
}

// pathsOf returns the files of pieces of evidence, each once.
func pathsOf(refs []runevents.Reference) []string {
	var out []string
	for _, r := range refs {
		if !slices.Contains(out, r.Path) {
			out = append(out, r.Path)
		}
	}
	return out
}
