// Command quality measures the detectors on real sessions and labelled samples,
// which are not part of the repository: precision and recall of each detector,
// signals and interrupts per session, and a file that lists every interrupt with
// its evidence, to be read.
//
//	go run -tags gore2regex ./test/quality -interrupts bin/interrupts.md -page docs/quality.md
//
// The measured part of the page, between two marks, is rewritten; the part written
// by hand is kept.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/advised"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/commands"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

func main() {
	interrupts := flag.String("interrupts", "", "write every interrupt with its evidence to this `file`")
	signals := flag.String("signals", "", "write every signal that was not suppressed to this `file`")
	missed := flag.String("missed", "", "write every sample judged otherwise than labelled to this `file`")
	wrong := flag.String("plants", "", "write every plant judged otherwise than expected to this `file`")
	unheard := flag.String("unheard", "", "write every moment that was not met to this `file`")
	unjudged := flag.String("unjudged", "", "write every interrupt that matches no moment and was not judged to "+
		"this `file`; with -advisor, those with the answers")
	steps := flag.String("steps", "", "write every labelled step of an agent and every false alarm in a clean run to this `file`; nothing else is measured")
	marked := flag.String("weak", "", "write every marked line of the analysers' tests that B1 to B3 judge otherwise to this `file`; nothing else is measured")
	guarded := flag.String("commands", "", "write every command that the guard judges otherwise than labelled to this `file`; nothing else is measured")
	claims := flag.String("claims", "", "write every contradicted claim, and -sample of the proven ones, drawn by -seed, "+
		"to this `file` to be read; nothing else is measured")
	worth := flag.Bool("worth", false, "switch each kind of finding off in turn and print what changes (JD-60); nothing else is measured")
	questions := flag.String("questions", "", "write every question that an advisor would ask, and that -answers leaves open, "+
		"to this `folder`; nothing else is measured")
	answers := flag.String("answers", os.Getenv(advised.Variable), "`folder` with answers to these questions, QUESTION.json each")
	form := flag.String("form", "", "how questions are asked, for -questions and -advisor: whole, half, quarter, "+
		"or a `file` of rules")
	sample := flag.Int("sample", 0, "write `n` questions about signals that readers judged, for -questions and "+
		"-forms; all questions without it")
	seed := flag.String("seed", "1", "`word` that decides which")
	forms := flag.String("forms", "", "compare the forms that this `folder` has answers for, "+
		"FORM/answers/QUESTION.json each; nothing else is measured")
	opinions := flag.Bool("advisor", false, "print what the answers change; nothing else is measured")
	page := flag.String("page", "", "rewrite the measured part of this `file`")
	data := flag.String("data", shareddata.Folder(), "`folder` with transcripts/ and labels/")
	flag.Parse()
	drawn := advised.Sample{Size: *sample, Seed: *seed}
	var err error
	switch {
	case *worth:
		err = listWorth(*data, *page)
	case *steps != "":
		err = listSteps(*data, *steps)
	case *claims != "":
		err = listClaims(*data, *claims, drawn)
	case *guarded != "":
		err = listCommands(*data, *guarded)
	case *questions != "":
		err = writeQuestions(*data, *questions, *answers, *form, drawn)
	case *forms != "":
		err = compareForms(*data, *forms, *page, drawn)
	case *opinions:
		err = printOpinions(*data, *answers, *form, *unjudged)
	case *marked != "":
		err = listMarked(*data, *marked)
	default:
		err = measureAll(*data, *page, *answers, map[string]*string{
			"interrupts": interrupts, "signals": signals, "missed": missed, "plants": wrong, "unheard": unheard, "unjudged": unjudged,
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func measureAll(data, page, answers string, lists map[string]*string) error {
	if data == "" {
		fmt.Printf("quality: no data: set %s to a folder with transcripts/ and labels/; nothing measured\n", shareddata.Variable)
		return nil
	}
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	result, err := playTranscripts(core, data)
	if err != nil {
		return err
	}
	heard, err := playMoments(result.recorder, data, result.weak)
	if err != nil {
		return err
	}
	samples, err := playLabels(core, data)
	if err != nil {
		return err
	}
	marked, err := playMarked(core, data)
	if err != nil {
		return err
	}
	plants, err := playPlants(core, data)
	if err != nil {
		return err
	}
	stepped, err := playSteps(core, data)
	if err != nil {
		return err
	}
	asked, err := commands.Measure(core.Preflight, data)
	if err != nil {
		return err
	}
	opinions, _, err := advised.Table(core, data, answers, "")
	if err != nil {
		return err
	}
	text := result.table() + heard.table + samples.table() + marked.Table() + stepped.table + plants.table() + asked.Table() + opinions
	fmt.Print(text)
	contents := map[string]string{"interrupts": result.interrupts(), "signals": result.listing(), "missed": strings.Join(samples.missed, "\n----\n"), "plants": plants.wrong(), "unheard": heard.missed, "unjudged": heard.unjudged}
	for name, path := range lists {
		if *path == "" {
			continue
		}
		if err := writeListing(data, *path, contents[name]); err != nil {
			return fmt.Errorf("write the %s: %w", name, err)
		}
	}
	if page == "" {
		return nil
	}
	return rewrite(page, pageBegin, pageEnd, text)
}

// writeQuestions writes what an advisor would ask, without any label (AD-8).
func writeQuestions(data, folder, answers, form string, sample advised.Sample) error {
	if data == "" {
		return fmt.Errorf("no data: set %s to a folder with transcripts/", shareddata.Variable)
	}
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	n, err := advised.WriteQuestions(core, data, folder, answers, form, sample)
	if err != nil {
		return err
	}
	fmt.Printf("%d questions in %s\n", n, folder)
	return nil
}

// printOpinions prints what answers change (AD-8).
func printOpinions(data, answers, form, unjudged string) error {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	text, unread, err := advised.Table(core, data, answers, form)
	if err != nil {
		return err
	}
	fmt.Print(text)
	if unjudged == "" {
		return nil
	}
	return writeListing(data, unjudged, unread)
}

// compareForms prints what answers to questions in several forms are worth, and writes it into a page (AD-8).
func compareForms(data, folder, page string, sample advised.Sample) error {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	text, err := advised.Compare(core, data, folder, sample)
	if err != nil {
		return err
	}
	fmt.Print(text)
	if page == "" {
		return nil
	}
	return rewrite(page, formsBegin, formsEnd, text)
}

// Marks of the part of the page that is measured.
const (
	pageBegin = "<!-- measured: make quality -->\n"
	pageEnd   = "<!-- end of what is measured -->\n"
	// … and of the table of what each kind is worth.
	worthBegin = "<!-- measured: make worth -->\n"
	worthEnd   = "<!-- end of what each kind is worth -->\n"
	// … and of the table of forms of questions.
	formsBegin = "<!-- measured: go run ./test/quality -forms -->\n"
	formsEnd   = "<!-- end of the forms of questions -->\n"
)

func rewrite(path, pageBegin, pageEnd, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	before, rest, begins := strings.Cut(string(old), pageBegin)
	_, after, ends := strings.Cut(rest, pageEnd)
	if !begins || !ends {
		return fmt.Errorf("%s lacks the marks %q and %q", path, strings.TrimSpace(pageBegin), strings.TrimSpace(pageEnd))
	}
	if err := os.WriteFile(path, []byte(before+pageBegin+text+pageEnd+after), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
