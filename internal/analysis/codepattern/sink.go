package codepattern

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// call looks at a call: what it writes into its arguments, what it checks, and
// whether it is a sink.
func (a *analysis) call(n *syntax.Node) {
	callee := a.dotted(n)
	arguments := a.arguments(n)
	defer a.effects(n, callee, arguments)
	if a.helpers > 0 {
		return
	}
	resolved := a.resolve(callee)
	for _, r := range a.rules {
		for i := range r.calls {
			c := &r.calls[i]
			if !c.callee.match(callee) && !c.callee.match(resolved) || c.not.match(callee) || c.not.match(resolved) {
				continue
			}
			if a.all(c.when, n, arguments, nil) {
				a.sink(r, c, n, resolved, arguments)
				break
			}
		}
		if m := a.owners.find(r.models, callee); m != nil {
			a.sink(r, &compiledCall{Call: &Call{Argument: m.Argument, Keyword: m.Keyword}}, n, resolved, arguments)
		}
	}
}

// effects applies what a call does to variables.
func (a *analysis) effects(n *syntax.Node, callee string, arguments arguments) {
	l := a.language
	if l.collects.match(callee) {
		if receiver := a.receiver(n); receiver != nil {
			target := a.builder(receiver)
			for _, arg := range arguments.positional {
				a.collect(target, a.eval(arg).through(n))
			}
		}
	}
	for _, f := range l.fills {
		if !f.callee.match(callee) {
			continue
		}
		for _, arg := range arguments.positional {
			for _, name := range a.names(arg) {
				a.scope.set(name.Text(), single(f.origin, n, shortSource(callee)+"()"), a.depth, false)
			}
		}
	}
	if l.decodes.match(callee) {
		a.decode(n, arguments)
	}
	if a.matches(l.guards, callee) {
		a.check(n)
	}
	if l.comparison.match(callee) {
		a.compared(n, arguments)
	}
}

// decode gives the last argument's variable what the call reads: its first argument or, of a decoder,
// what that was made of.
func (a *analysis) decode(n *syntax.Node, given arguments) {
	list := given.positional
	if len(list) == 0 {
		return
	}
	target := list[len(list)-1]
	from := a.receiver(n)
	if len(list) > 1 {
		from = list[0]
	} else if from != nil && a.role(from) == roleCall {
		if made := a.arguments(from).positional; len(made) > 0 {
			from = made[0]
		}
	}
	if v := a.eval(from); len(v.parts) > 0 {
		for _, name := range a.names(target) {
			a.scope.set(name.Text(), v.element().through(n), a.depth, false)
		}
	}
}

// builder is what a chain of calls adds to: b in b.append(x).append(y).
func (a *analysis) builder(receiver *syntax.Node) *syntax.Node {
	for a.role(receiver) == roleCall && a.language.collects.match(a.dotted(receiver)) {
		next := a.receiver(receiver)
		if next == nil {
			break
		}
		receiver = next
	}
	return receiver
}

// sink weighs what reaches a call that a rule describes.
func (a *analysis) sink(r *compiled, c *compiledCall, n *syntax.Node, callee string, arguments arguments) {
	if r.Flow == nil {
		a.hit(hit{rule: r, node: n, confidence: r.Confidence, callee: callee, argument: a.argument(c.Argument, c.Keyword, n, arguments)})
		return
	}
	if c.Rest {
		for i := max(c.Argument, 0); i < len(arguments.positional); i++ {
			if a.flows(r, n, arguments.positional[i], callee) {
				return
			}
		}
		return
	}
	if value := a.argument(c.Argument, c.Keyword, n, arguments); value != nil {
		a.flows(r, n, value, callee)
	}
}

// argument is one argument by position or name; -1 is the receiver.
func (a *analysis) argument(position int, names []string, n *syntax.Node, arguments arguments) *syntax.Node {
	if position < 0 {
		return a.receiver(n)
	}
	if len(names) > 0 {
		if value := arguments.keyword(&a.grammar, names...); value != nil {
			return value
		}
	}
	if position < len(arguments.positional) {
		return arguments.positional[position]
	}
	return nil
}

// flows reports a value whose origin matters to the rule.
func (a *analysis) flows(r *compiled, n, argument *syntax.Node, callee string) bool {
	if r.Handler && !a.handler {
		return false
	}
	v := a.eval(argument)
	if a.role(argument) == roleCommand {
		v = a.stringValue(argument)
	}
	built := v.built()
	best := hit{rule: r, node: n, argument: argument, flow: true, built: built, callee: callee}
	for _, p := range v.parts {
		if p.isSafe(r.Flow.Category) || r.source != nil && !r.source.MatchString(p.source) {
			continue
		}
		if confidence := r.weigh(p.origin, v, built); confidence > best.confidence {
			best.confidence, best.part = confidence, p
		}
	}
	if best.confidence == 0 {
		return false
	}
	a.hit(best)
	return true
}

func (p part) isSafe(category string) bool {
	for _, c := range p.safe {
		if c == category {
			return true
		}
	}
	return false
}

// weigh is the confidence that a rule gives an origin, 0 for silence.
func (r *compiled) weigh(origin Origin, v value, built bool) float64 {
	if !built {
		if v.list && r.vector != nil {
			return 0
		}
		return r.direct[origin]
	}
	if v.list && r.vector != nil {
		found := r.vector.FindStringSubmatch(v.text)
		if found == nil {
			return 0
		}
		if script := constant(found[len(found)-1]); len(found) > 1 && !script.built() {
			return r.direct[origin]
		}
	}
	if r.text != nil && !r.text.MatchString(v.text) {
		return 0
	}
	if origin < Input && r.strong != nil && !anyStrong(r.strong.MatchString, v.text) {
		origin = min(origin, Unknown)
	}
	return r.built[origin]
}

// anyStrong reports whether the text before some hole makes it dangerous.
func anyStrong(strong func(string) bool, text string) bool {
	for at := 0; ; at += len(hole) {
		i := strings.Index(text[at:], hole)
		if i < 0 {
			return false
		}
		if at += i; strong(strings.ToValidUTF8(text[max(0, at-80):at], "")) {
			return true
		}
	}
}

// pair looks at a key and its value in a literal or a call.
func (a *analysis) pair(n *syntax.Node) {
	if list := a.operands(n); len(list) > 1 {
		a.pairOf(n, a.key(list[0]), list[len(list)-1])
	}
}

// pairOf looks at a key, or an assignment's target, and its value.
func (a *analysis) pairOf(n *syntax.Node, key string, v *syntax.Node) {
	if a.helpers > 0 {
		return
	}
	last := key[strings.LastIndexByte(key, '.')+1:]
	if target := firstChild(n, "left", "name"); target != nil && a.role(target) == roleIndex { // x[KEY] = …
		list := a.operands(target)
		last = a.key(list[len(list)-1])
	}
	for _, r := range a.rules {
		for i := range r.pairs {
			p := &r.pairs[i]
			if !p.key.match(key) && !p.key.match(last) || !a.all(p.when, n, arguments{}, v) {
				continue
			}
			if r.Flow != nil {
				a.flows(r, n, v, key)
			} else {
				a.hit(hit{rule: r, node: n, argument: v, confidence: r.Confidence, callee: key})
			}
			break
		}
	}
}

func (a *analysis) hit(h hit) {
	if a.helpers > 0 || a.excused(h.rule, h.node) {
		return
	}
	for i := range a.hits {
		if old := &a.hits[i]; old.rule == h.rule && old.node == h.node {
			if h.confidence > old.confidence { // with what a call gives to its function
				*old = h
			}
			return
		}
	}
	if len(a.hits) == maxHits {
		a.dropped++
		return
	}
	a.hits = append(a.hits, h)
}

// all says that every condition holds.
func (a *analysis) all(list []compiledCondition, n *syntax.Node, arguments arguments, own *syntax.Node) bool {
	for i := range list {
		if a.holds(&list[i], n, arguments, own) == list[i].Not {
			return false
		}
	}
	return true
}

func (a *analysis) holds(c *compiledCondition, n *syntax.Node, arguments arguments, own *syntax.Node) bool {
	target := own
	switch {
	case len(c.Keyword) > 0:
		position := 1 << 20
		if c.Argument != nil {
			position = *c.Argument
		}
		target = a.argument(position, c.Keyword, n, arguments)
	case c.Argument != nil:
		target = a.argument(*c.Argument, nil, n, arguments)
	}
	if c.Absent {
		return target == nil
	}
	if target == nil {
		return false
	}
	if list := a.operands(target); (a.role(target) == roleWrap && !strings.HasPrefix(target.Text(), "!") || target.Kind == "expression_list") && len(list) == 1 {
		target = list[0]
	}
	v := a.eval(target)
	text := v.text
	if !v.constant() || strings.TrimSpace(v.text) == "" || a.role(target) == roleList {
		text = target.Text()
	}
	if len(c.Is) > 0 && !equals(c.Is, text) {
		return false
	}
	if c.matches != nil && !c.matches.MatchString(text) {
		return false
	}
	if c.Below != nil {
		number, err := strconv.ParseFloat(strings.ReplaceAll(strings.Trim(text, "\"' "), "_", ""), 64)
		if err != nil || number >= *c.Below {
			return false
		}
	}
	return c.Constant == nil || *c.Constant == v.constant()
}

func equals(list []string, text string) bool {
	text = strings.TrimPrefix(unquote(strings.TrimSpace(text)), ":")
	for _, item := range list {
		if strings.EqualFold(item, text) {
			return true
		}
	}
	return false
}
