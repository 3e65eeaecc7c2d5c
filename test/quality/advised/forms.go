package advised

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
)

// Forms of questions that are compared, the longest first: rules that override the product's.
var Forms = []string{"whole", "half", "quarter"}

//go:embed forms/*.yaml
var formFiles embed.FS

// formOf returns how questions are asked: as the rules say, as one of the forms does, or as a file of rules.
func formOf(form string) (*opinion.Config, error) {
	if form == "" {
		return opinion.Load(rules.Default())
	}
	text, err := formFiles.ReadFile(path.Join("forms", form+".yaml"))
	if err != nil {
		text, err = os.ReadFile(form)
	}
	if err != nil {
		return nil, fmt.Errorf("read a form of questions (%s, or a file): %w", strings.Join(Forms, ", "), err)
	}
	set, err := rules.Load(form, text)
	if err != nil {
		return nil, err
	}
	return opinion.Load(set)
}

// formFigures are what the answers to one form's questions are worth.
type formFigures struct {
	kept, held     map[moments.Judgement]int
	open           map[moments.Judgement]int // without a verdict: unsure or void
	answered, void int
	sample         cost // of the drawn questions
	signals, fresh cost // of all questions of the data
}

// Compare returns a table of the forms that a folder has answers for, FORM/answers/QUESTION.json each, over
// the same drawn signals.
func Compare(core *machines.Core, data, folder string, sample Sample) (string, error) {
	read, err := sample.drawn(core, data)
	if err != nil {
		return "", err
	}
	n := map[moments.Judgement]int{}
	for _, r := range read {
		n[r.Judgement]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n### Forms of questions\n\n%d signals that readers judged (%d right and worth hearing, %d "+
		"right and not worth an interrupt, "+
		"%d wrong; drawn with the seed %q, judgements and detectors in turn, so the mix is not that of the "+
		"product), each asked about in "+
		"every form and answered for each form by a reader who saw nothing else.\n\n"+
		"| form | characters of the record, on average | answered | let through: right / not worth it / wrong | "+
		"right among these | kept of the right "+
		"| held of the not worth it | held of the wrong | unsure or void | tokens a question | as priced with a "+
		"cache | precision per 1,000 tokens "+
		"| right ones per 1,000 tokens |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
		len(read), n[moments.Right], n[moments.Slight], n[moments.Wrong], sample.Seed)
	var all strings.Builder
	for _, form := range Forms {
		f, size, err := figures(core, data, filepath.Join(folder, form, "answers"), form, read)
		if err != nil {
			return "", err
		}
		b.WriteString(f.row(form, size, len(read)))
		fmt.Fprintf(&all, "| %s | %d | %d | %d | %d |\n", form, f.signals.tokens, f.signals.charged(), f.fresh.tokens,
			f.fresh.charged())
	}
	fmt.Fprintf(&b, "\nAll questions of the data, in tokens; a provider that keeps what begins as the question "+
		"before of its kind and "+
		"session began (%d tokens at least) charges %.0f%% for it:\n\n"+
		"| form | about signals | as priced with a cache | about what is new | as priced with a cache "+
		"|\n|---|---|---|---|---|\n", provider.LeastTokens, provider.Price*100)
	return b.String() + all.String(), nil
}

// figures reads what was answered to the drawn questions in one form, with the mean size of their records.
func figures(core *machines.Core, data, folder, form string, read map[string]moments.Reading) (*formFigures, int,
	error,
) {
	config, err := formOf(form)
	if err != nil {
		return nil, 0, err
	}
	p, err := play(core, config, data, answers{})
	if err != nil {
		return nil, 0, err
	}
	f := &formFigures{
		kept: map[moments.Judgement]int{}, held: map[moments.Judgement]int{},
		open: map[moments.Judgement]int{},
	}
	given, seen, size := answers{folder}, map[string]bool{}, 0
	for i, c := range costs(p.asked) {
		if p.asked[i].Kind == sessionevents.QuestionDigest {
			f.fresh.add(c)
		} else {
			f.signals.add(c)
		}
	}
	both := p.both()
	for i, c := range costs(both) {
		q := both[i]
		judged := read[q.Signal].Judgement
		if judged == "" || seen[q.Signal] {
			continue
		}
		seen[q.Signal] = true
		size += len(q.Text)
		text, answered, err := given.of(q)
		if err != nil {
			return nil, 0, err
		}
		c.tokens += tokens(len(text))
		f.sample.add(c)
		f.take(config, q, text, answered, judged)
	}
	return f, size / max(1, len(seen)), nil
}

func (f *formFigures) take(config *opinion.Config, q *opinion.Question, text string, answered bool,
	judged moments.Judgement,
) {
	if !answered {
		return
	}
	f.answered++
	switch o := config.Answer(q, modelText(text)); {
	case o.Void != "":
		f.void++
		f.open[judged]++
	case o.Verdict == sessionevents.OpinionUnsure:
		f.open[judged]++
	case o.Confirms():
		f.kept[judged]++
	default:
		f.held[judged]++
	}
}

func (f *formFigures) row(form string, size, drawn int) string {
	n, kept := float64(max(1, f.sample.questions)), sum(f.kept)
	if f.answered == 0 {
		return fmt.Sprintf("| %s | %d | not yet | — | — | — | — | — | — | %.0f | %.0f | — | — |\n",
			form, size, float64(f.sample.tokens)/n, float64(f.sample.charged())/n)
	}
	mean, priced := float64(f.sample.tokens)/n, float64(f.sample.charged())/n
	return fmt.Sprintf("| %s | %d | %d of %d | %d / %d / %d | %s | %s | %s | %s | %d (%d void) | %.0f | %.0f | "+
		"%.2f | %.2f |\n",
		form, size, f.answered, drawn, f.kept[moments.Right], f.kept[moments.Slight], f.kept[moments.Wrong],
		percent(moments.Share{Count: f.kept[moments.Right], Of: kept}), f.share(f.kept, moments.Right),
		f.share(f.held, moments.Slight), f.share(f.held, moments.Wrong), sum(f.open), f.void, mean, priced,
		float64(f.kept[moments.Right])/float64(max(1, kept))*1000/max(1, priced),
		float64(f.kept[moments.Right])*1000/float64(max(1, f.sample.charged())))
}

// share returns how many of the answered ones with a judgement are among some.
func (f *formFigures) share(among map[moments.Judgement]int, j moments.Judgement) string {
	return percent(moments.Share{Count: among[j], Of: f.kept[j] + f.held[j] + f.open[j]})
}
