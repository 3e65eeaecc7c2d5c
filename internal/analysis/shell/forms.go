package shell

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// forms handle commands whose arguments mean more than flags and paths.
var forms map[string]func(*run, *call) stream

func init() {
	forms = map[string]func(*run, *call) stream{
		"whole": reading, "head": reading, "tail": reading, "part": reading, "sed": sed,
		"search": search, "find": find, "list": list, "fetch": fetch, "words": words,
		"tee": tee, "patch": patch, "apply_patch": applyPatch, "script": script, "code": code,
	}
}

// list handles ls and tree; without a path they list the working directory.
func list(r *run, c *call) stream {
	flags, operands := c.split()
	if len(operands) == 0 && !c.piped {
		operands = []argument{{".", true}}
	}
	for _, o := range operands {
		if target := r.resolve(o.text); o.exact && target != "" {
			r.access(sessionevents.Access{Kind: sessionevents.AccessList, Target: target, Query: canonicalFlags(flags, nil)})
		}
	}
	return stream{}
}

// fetch handles curl and wget; a request that sends data is a change rather than a fetch.
func fetch(r *run, c *call) stream {
	flags, operands := c.split()
	if changesRemote(c, flags) {
		r.kind("run")
		return stream{}
	}
	for _, o := range operands {
		r.access(sessionevents.Access{Kind: sessionevents.AccessFetch, Target: o.text})
	}
	for _, f := range flags {
		if f.name == "-o" || f.name == "--output" {
			r.write(Write{Path: r.resolve(f.value)})
		}
	}
	return stream{}
}

func changesRemote(c *call, flags []flag) bool {
	return slices.ContainsFunc(flags, func(f flag) bool {
		return slices.Contains(c.Effects, f.name) && !strings.EqualFold(f.value, "GET") && !strings.EqualFold(f.value, "HEAD")
	})
}

// words handles a fetch or listing whose complete argument list is the query (git show
// HEAD:x, gh api repos/…).
func words(r *run, c *call) stream {
	flags, _ := c.split()
	if changesRemote(c, flags) {
		r.kind("run")
		return stream{}
	}
	r.access(sessionevents.Access{Kind: sessionevents.AccessKind(c.Access), Target: strings.TrimSpace(c.name + " " + joined(c.args))})
	return stream{}
}

// tee handles tee, which writes its input.
func tee(r *run, c *call) stream {
	flags, operands := c.split()
	for _, o := range operands {
		if o.exact {
			r.write(Write{
				Path: r.resolve(o.text), Content: c.in.text, Known: c.in.known,
				Append: containsFlag(flags, []string{"-a", "--append"}),
			})
		}
	}
	return c.in
}

// patch handles git apply and patch: the patch is known if it comes from a here-document.
func patch(r *run, c *call) stream {
	flags, _ := c.split()
	if containsFlag(flags, []string{"--check", "--dry-run", "--stat", "--numstat"}) {
		return stream{}
	}
	r.anyFile()
	if c.in.known && strings.TrimSpace(c.in.text) != "" {
		r.keep(Write{Patch: c.in.text, Known: true})
	}
	return stream{}
}

// applyPatch handles the apply_patch of Codex, called from a shell.
func applyPatch(r *run, c *call) stream {
	text := c.in.text
	for _, a := range c.args {
		if strings.Contains(a.text, "*** Begin Patch") {
			text = a.text
		}
	}
	if text == "" {
		r.anyFile()
		return stream{}
	}
	r.kind("write")
	r.keep(Write{Patch: text, Known: true})
	return stream{}
}

// script classifies npm run X and make X by the words in X.
func script(r *run, c *call) stream {
	_, operands := c.split()
	if len(operands) == 0 {
		if len(c.Kinds) == 0 {
			r.kind("run")
		}
		return stream{}
	}
	kinds := r.p.scriptKinds(operands[0].text)
	if len(kinds) == 0 && len(c.Kinds) == 0 {
		kinds = []string{"run"}
	}
	r.kind(kinds...)
	if slices.Contains(kinds, "format") {
		r.anyFile()
	}
	return stream{}
}

// code handles an interpreter: an in-place edit (perl -pi -e), a module run as a command
// (python -m pytest), program text (-c), or a script file.
func code(r *run, c *call) stream {
	if len(c.InPlace) > 0 {
		if scripts, files, ok := perlEdit(c); ok {
			r.out.Kinds = slices.DeleteFunc(r.out.Kinds, func(k string) bool { return k == "run" && len(c.Kinds) > 0 })
			replaced, inserted := sedEdit(scripts, perlPlain)
			r.rewrite(c, files, replaced, inserted)
			return stream{}
		}
	}
	for i, a := range c.args {
		if slices.Contains(c.Module, a.text) && i+1 < len(c.args) {
			r.out.Kinds = slices.DeleteFunc(r.out.Kinds, func(k string) bool { return k == "run" && len(c.Kinds) > 0 })
			return r.command(c.args[i+1:], c.in, c.piped)
		}
		if slices.Contains(c.Code, a.text) && i+1 < len(c.args) {
			r.programText(c.args[i+1].text)
			return stream{}
		}
		if !strings.HasPrefix(a.text, "-") {
			r.kind(r.p.scriptKinds(path.Base(a.text))...)
			return stream{}
		}
	}
	if c.in.known {
		r.programText(c.in.text)
	}
	return stream{}
}

func (r *run) programText(text string) {
	if slices.ContainsFunc(r.p.table.CodeWrites, func(mark string) bool { return strings.Contains(text, mark) }) {
		r.anyFile()
	}
}
