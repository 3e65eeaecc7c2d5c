package moments

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// kindFigures are the interrupts of one kind, as a reader found them.
type kindFigures struct{ fired, right, slight, wrong, unclear int }

// Kinds shows of each kind of interrupt how many were right and worth hearing, on the real sessions of
// competent agents and on those of a weak model apart (JD-2). A person's judgement of an interrupt
// outranks the moment that it matches.
func (v *Verdict) Kinds(judged Judgements, weak map[string]bool) string {
	rows := [2]map[string]*kindFigures{{}, {}}
	for _, f := range v.Fired {
		part := 0
		if weak[f.Session] {
			part = 1
		}
		k := rows[part][f.Kind]
		if k == nil {
			k = &kindFigures{}
			rows[part][f.Kind] = k
		}
		k.fired++
		switch f.judgement(judged) {
		case Right:
			k.right++
		case Slight:
			k.slight++
		case Wrong:
			k.wrong++
		default:
			k.unclear++
		}
	}
	var b strings.Builder
	b.WriteString("\n### Interrupts by kind\n\nWhat reached the agent, as a reader found it: a judgement of the interrupt itself (test/quality/moments/judged.tsv), else the moment that it matches.\n\n| sessions | kind | interrupts | right and worth hearing | right, not worth it | wrong | unclear |\n|---|---|---|---|---|---|---|\n")
	for part, name := range []string{"competent", "weak model"} {
		var sum kindFigures
		for _, kind := range slices.Sorted(maps.Keys(rows[part])) {
			k := rows[part][kind]
			k.write(&b, name, kind)
			sum.fired, sum.right, sum.slight, sum.wrong, sum.unclear = sum.fired+k.fired, sum.right+k.right, sum.slight+k.slight, sum.wrong+k.wrong, sum.unclear+k.unclear
		}
		sum.write(&b, name, "all")
	}
	return b.String()
}

// Withheld counts the moments worth saying that are detected but only logged, since the detection rests on a
// reading (JD-2): an advisor is asked about these.
func (v *Verdict) Withheld() string {
	counts := map[string][2]int{} // by kind: strong ones, weak ones
	for _, h := range v.Heard {
		if h.Withheld == "" || h.Should != "say" {
			continue
		}
		n := counts[h.Withheld]
		if h.Strength == "strong" {
			n[0]++
		} else {
			n[1]++
		}
		counts[h.Withheld] = n
	}
	var b strings.Builder
	b.WriteString("\nMoments worth saying that are only logged, since what sees them rests on a reading; an advisor is asked about them:\n\n| kind | strong moments | weak ones |\n|---|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", kind, counts[kind][0], counts[kind][1])
	}
	return b.String()
}

func (k *kindFigures) write(b *strings.Builder, sessions, kind string) {
	fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %d | %d |\n", sessions, kind, k.fired, k.right, k.slight, k.wrong, k.unclear)
}

// judgement returns what a reader says of an interrupt.
func (f *Fired) judgement(judged Judgements) Judgement {
	switch {
	case judged[f.Key] != "":
		return judged[f.Key]
	case f.KnownWrong:
		return Wrong
	case f.WorthHearing:
		return Right
	case f.Matches:
		return Slight
	}
	return Unclear
}
