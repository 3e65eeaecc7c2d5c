package stuckloop

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// words are the message and the reason of a signal. The message names what is repeated, where it
// began and the one thing to do instead (DP-20).
func (g *growth) words() (message, reason string) {
	subject, n, since := g.streak.Subject, g.streak.Length, g.streak.First
	switch g.kind {
	case kindError:
		if unnamed.MatchString(g.error) {
			return fmt.Sprintf("%s failed %d times the same way since turn %d with nothing changed in between. Read what it says and fix that cause before the next try.", nameOf(subject, "The same call"), n, since),
				fmt.Sprintf("The same failure came back %d times since turn %d without an edit in between.", n, since)
		}
		return fmt.Sprintf("%s came %d times since turn %d with nothing changed in between. Fix that cause before the next try.", quoted(g.error, "The same error"), n, since),
			fmt.Sprintf("The same error came back %d times since turn %d without an edit in between.", n, since)
	case kindTransient:
		return fmt.Sprintf("%d tries since turn %d failed with %s. Stop retrying and tell the user what is out of reach.", n, since, quoted(g.error, "the same kind of error")),
			fmt.Sprintf("Transient errors came %d times since turn %d.", n, since)
	case kindCycle:
		return fmt.Sprintf("%s take turns with unchanged results since turn %d (%d calls). Stop repeating them and act on what they showed.", nameOf(subject, "The same few calls"), since, n),
			fmt.Sprintf("Calls repeat in a cycle with unchanged results, %d of them since turn %d.", n, since)
	case kindVarying:
		return fmt.Sprintf("%d variants of %s since turn %d gave the same output; the arguments make no difference. Try another approach.", n, nameOf(subject, "one call"), since),
			fmt.Sprintf("%d calls with varying arguments gave the same output since turn %d.", n, since)
	case kindPolling:
		return fmt.Sprintf("%s has shown the same state %d times since turn %d. Find out whether that job still makes progress.", nameOf(subject, "The same question"), n, since),
			fmt.Sprintf("The state asked for stayed identical %d times.", n)
	case kindFailing:
		return fmt.Sprintf("%s still fails after %d edits and %d runs since turn %d. Find the cause with a smaller reproduction before you edit again.", quoted(subject, "The same check"), g.edits, n, since),
			fmt.Sprintf("The same failure is there after %d effective edits since turn %d.", g.edits, since)
	case kindCompaction:
		return fmt.Sprintf("The context was compacted in %d turns in a row and nothing was done between. Write down the open step and do only that.", n),
			fmt.Sprintf("%d turns in a row did nothing but compact the context.", n)
	case kindScattered:
		return fmt.Sprintf("%s gave the same result in %d turns since turn %d and nothing changed in between. Use that result and take the next step.", nameOf(subject, "The same call"), n, since),
			fmt.Sprintf("The same call gave the same result %d times since turn %d, with other calls between.", n, since)
	case kindMalformed:
		return g.malformedWords()
	case kindSearch:
		return g.searchWords()
	case kindRefused:
		return g.refusedWords()
	case kindLost:
		return g.lostWords()
	}
	return g.otherWords()
}

// otherWords are those of the trackers that count turns without a check.
func (g *growth) otherWords() (message, reason string) {
	subject, n, since := g.streak.Subject, g.streak.Length, g.streak.First
	switch g.kind {
	case kindUntested:
		cure := "Check its name and filter before you trust it"
		if g.flag != "" {
			cure = "Add what an earlier run had: " + quote.Plain(g.flag)
		}
		return fmt.Sprintf("%s ran no test, for the %s time since turn %d, and shows nothing about the change. %s.", nameOf(g.job, "The test command"), ordinal(n), since, cure),
			fmt.Sprintf("Test commands ran no test in %d turns since turn %d.", n, since)
	case kindMissing:
		if g.mishap == mishapInstall {
			return fmt.Sprintf("%s is missing and could not be installed (%d tries since turn %d). Stop trying installers and do without it, or tell the user.", quote.Name(subject), n, since),
				fmt.Sprintf("A missing thing could not be installed, in %d turns since turn %d.", n, since)
		}
		return fmt.Sprintf("%s is missing, which stopped %d runs since turn %d. Install it once, or choose a way that does without it.", quote.Name(subject), n, since),
			fmt.Sprintf("The same missing thing stopped runs in %d turns since turn %d.", n, since)
	case kindChurn:
		return fmt.Sprintf("%s was rewritten %d times since turn %d without a check in between. Run or read it before you write it again.", quote.Path(path.Base(subject)), n, since),
			fmt.Sprintf("Whole files were written %d times since turn %d without a check.", n, since)
	case kindMonologue:
		return fmt.Sprintf("%d turns since turn %d call no tool and repeat the same words. Make the call that they announce, or end with what is open.", n, since),
			fmt.Sprintf("%d turns without a tool call repeat each other.", n)
	}
	return fmt.Sprintf("%s gave the same result %d times in a row since turn %d with no edit in between. Use that result and take the next step.", nameOf(subject, "The same call"), n, since),
		fmt.Sprintf("The same call with the same result stands %d times in a row since turn %d.", n, since)
}

// malformedWords say what is wrong with the form of the calls and what to send instead.
func (g *growth) malformedWords() (message, reason string) {
	tool, n, since := g.streak.Subject, g.streak.Length, g.streak.First
	reason = fmt.Sprintf("%d turns since turn %d had calls that did nothing because of their form.", n, since)
	send := "Send the plain command and nothing before it"
	if shown, ok := quote.Command(g.job); ok {
		send = "Send " + shown + " itself and nothing before it"
	}
	switch g.mishap {
	case mishapIdle:
		return fmt.Sprintf("Nothing ran: %s does nothing, and its empty output says nothing (%s in %d turns since turn %d). %s.", g.null(), tool, n, since, send), reason
	case mishapBroken:
		return fmt.Sprintf("Nothing ran: the shell cannot parse the command (%s in %d turns since turn %d). %s.", tool, n, since, send), reason
	case mishapContent:
		return fmt.Sprintf("%s now holds only stray characters (%s in %d turns since turn %d). Write its whole content again and read it back.", quote.Path(path.Base(cmp.Or(g.segment.Path, "The file"))), tool, n, since), reason
	case mishapPath:
		return fmt.Sprintf("The path begins with stray characters (%s in %d turns since turn %d). Send the plain path alone.", tool, n, since), reason
	}
	return fmt.Sprintf("Nothing ran: the command begins with stray characters (%s in %d turns since turn %d). %s.", tool, n, since, send), reason
}

// null is the command that ran nothing.
func (g *growth) null() string {
	switch first, rest, _ := strings.Cut(strings.TrimSpace(g.segment.Tool.Command), " "); {
	case first == "":
		return "an empty command"
	case strings.HasPrefix(first, "#"):
		return "a comment"
	case rest == "" || strings.ContainsAny(rest, "\n;&|"): // another command may follow
		return quote.Whole(first, 1, "the first word")
	default:
		return quote.Whole(first, 1, "the first word") + ", whatever follows it,"
	}
}

// searchWords say why the searches find nothing.
func (g *growth) searchWords() (message, reason string) {
	n, since := g.streak.Length, g.streak.First
	reason = fmt.Sprintf("Searches in %d turns since turn %d could find nothing.", n, since)
	if g.mishap != "" {
		return fmt.Sprintf("%s looks damaged, like other queries in %d turns since turn %d that found nothing. Search for the plain name without stray quotes and brackets.", nameOf(g.job, "This search query"), n, since), reason
	}
	return fmt.Sprintf("The search for %s was empty there already (%d such turns since turn %d). Take it as absent, or check its spelling and search the whole tree once.", nameOf(g.job, "that"), n, since), reason
}

// lostWords name the folder that the shell is in, and since when.
func (g *growth) lostWords() (message, reason string) {
	place, n, since := quote.Path(g.streak.Subject), g.streak.Length, g.edits
	reason = fmt.Sprintf("The shell is in %s since a cd in turn %d.", place, since)
	if g.job != "" {
		return fmt.Sprintf("%s is not there because the shell is still in %s since the cd of turn %d. Go back to the root of the workspace, or use absolute paths.", quote.Path(g.job), place, since), reason
	}
	return fmt.Sprintf("The shell is still in %s since the cd of turn %d, so %d searches looked there only. Search from the root of the workspace.", place, since, n), reason
}

// unnamed is an error that says how much failed, and not what.
var unnamed = pattern.Must(`^\W*(?:\d+ (?:tests? )?(?:failed|errors?|passed)\b|exit code|failed\W*$|error\W*$)`)

func ordinal(n int) string {
	switch n {
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return fmt.Sprintf("%dth", n)
}

// Words of an error and of a command that a message quotes whole, else it names them (JD-40).
const (
	errorWords   = 10
	commandWords = 8
)

func quoted(text, other string) string { return quote.Whole(text, errorWords, other) }

// nameOf is a call as the message speaks of it.
func nameOf(text, other string) string { return quote.WholeCode(text, commandWords, other) }
