package codepattern

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// maxItems is how many items of a list or map are known apart.
const maxItems = 64

// items are what a list or map holds, each under its key; it is never changed, only replaced.
type items struct {
	keys   []string // a position is its number
	values []value
}

// put is the items with one more, or another, value.
func (t *items) put(key string, v value) *items {
	v.items = nil // items of items are not known apart
	out := &items{slices.Clone(t.keys), slices.Clone(t.values)}
	if at := slices.Index(t.keys, key); at >= 0 {
		out.values[at] = v
		return out
	}
	if len(t.keys) == maxItems {
		return nil
	}
	out.keys, out.values = append(out.keys, key), append(out.values, v)
	return out
}

// push is the items with one more at the end.
func (t *items) push(v value) *items { return t.put(strconv.Itoa(len(t.keys)), v) }

// without is a list without the item of a position; -1 is the last.
func (t *items) without(position int) *items {
	if position < 0 {
		position += len(t.keys)
	}
	if position < 0 || position >= len(t.keys) {
		return nil
	}
	out := &items{}
	for i, v := range t.values {
		if t.keys[i] != strconv.Itoa(i) {
			return nil // a map
		}
		if i != position {
			out = out.push(v)
		}
	}
	return out
}

// at is the item of a key.
func (t *items) at(key string) (value, bool) {
	if t == nil {
		return value{}, false
	}
	if strings.HasPrefix(key, "-") {
		if n, err := strconv.Atoi(key); err == nil {
			key = strconv.Itoa(len(t.keys) + n)
		}
	}
	i := slices.Index(t.keys, key)
	if i < 0 {
		return value{}, false
	}
	return t.values[i], true
}

// itemsOf are the items of a literal list or map, nil where some cannot be known apart.
func (a *analysis) itemsOf(n *syntax.Node) *items {
	if body := n.Child("body"); body != nil { // of a literal with its type
		n = body
	}
	out := &items{}
	for _, c := range a.operands(n) {
		list := a.operands(c)
		switch role := a.role(c); {
		case out == nil, strings.Contains(c.Kind, "spread"), strings.Contains(c.Kind, "splat"), strings.HasPrefix(c.Text(), "..."):
			return nil
		case role == rolePair && len(list) == 2 || role == roleKeyword && len(list) == 2:
			out = out.put(a.key(list[0]), a.eval(list[1]))
		case role == rolePair || role == roleKeyword:
			return nil
		default:
			out = out.push(a.eval(c))
		}
	}
	return out
}

// constantKey is the key that arguments name, false where it is not constant. Several, as section and
// name, make one key.
func (a *analysis) constantKey(arguments []*syntax.Node) (string, bool) {
	var parts []string
	for _, arg := range arguments {
		v := a.eval(arg)
		text := a.key(arg)
		if role := a.role(arg); role != roleString && role != roleNumber && !strings.HasPrefix(arg.Text(), ":") {
			if !v.constant() || v.text == "" {
				return "", false
			}
			text = v.text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\x00"), len(parts) > 0
}

// item is what a member, an index or a look-up gives, where its key and all that the object holds
// are known.
func (a *analysis) item(object *syntax.Node, arguments []*syntax.Node) (value, bool) {
	v := a.eval(object)
	if v.items == nil || len(arguments) == 0 {
		return value{}, false
	}
	key, ok := a.constantKey(arguments)
	if !ok {
		return value{}, false
	}
	if found, ok := v.items.at(key); ok {
		return found, true
	}
	return v.items.at(strings.SplitN(key, "\x00", 2)[0]) // the others are a default
}

// memberItem is the item that a member or an index of a variable names.
func (a *analysis) memberItem(n *syntax.Node, list []*syntax.Node) (value, bool) {
	if len(list) != 2 || a.role(list[0]) != roleName {
		return value{}, false
	}
	if a.role(n) == roleIndex {
		return a.item(list[0], list[1:])
	}
	v, _ := a.scope.lookup(list[0].Text())
	return v.items.at(a.key(list[1]))
}

// putItem notes what a call puts into a list or map; false where its items are not known.
func (a *analysis) putItem(target *syntax.Node, method string, given []*syntax.Node) bool {
	name := a.normal(target)
	at := a.scope.holder(name)
	if at == nil || a.role(target) != roleName || at.variables[name].value.items == nil {
		return false
	}
	old := at.variables[name]
	v, known := old.value, old.value.items
	if a.depth > old.depth {
		known = nil
	}
	switch last := len(given) - 1; {
	case known == nil || last < 0:
		known = nil
	case last == 0 && appends[method]:
		known = known.push(a.eval(given[0]))
	case last > 0 && keyed[method]:
		if key, ok := a.constantKey(given[:last]); ok {
			known = known.put(key, a.eval(given[last]).through(target))
		} else {
			known = nil
		}
	default:
		known = nil
	}
	for _, arg := range given {
		v = v.with(a.eval(arg).through(target))
	}
	v.items = known
	at.put(name, variable{value: v, depth: old.depth})
	return true
}

// appends and keyed are the methods of lists and maps by what they do with their arguments.
var (
	appends = map[string]bool{"append": true, "add": true, "push": true, "addLast": true, "store": true}
	keyed   = map[string]bool{"put": true, "set": true, "store": true}
)

// removeItem takes an item out of a list: remove(0), pop(), shift().
func (a *analysis) removeItem(target *syntax.Node, method string, given []*syntax.Node) {
	name := a.normal(target)
	at := a.scope.holder(name)
	if at == nil || at.variables[name].value.items == nil {
		return
	}
	v := at.variables[name]
	position := -1
	switch {
	case method == "shift" || method == "removeFirst":
		position = 0
	case len(given) > 0:
		number, err := strconv.Atoi(given[0].Text())
		if err != nil {
			v.value.items = nil
			at.put(name, v)
			return
		}
		position = number
	}
	if a.depth > v.depth {
		v.value.items = nil
	} else {
		v.value.items = v.value.items.without(position)
	}
	at.put(name, v)
}

// setMember notes what an assignment sets in an object that the edit shows from its literal on:
// query.title = v.
func (a *analysis) setMember(object, member *syntax.Node, v value) {
	at := a.scope.holder(object.Text())
	if at == nil || a.role(object) != roleName || !at.variables[object.Text()].value.list {
		return
	}
	old := at.variables[object.Text()]
	if old.value.items != nil && a.depth <= old.depth {
		old.value.items = old.value.items.put(a.key(member), v)
	} else {
		old.value.items = nil
	}
	known := old.value.items
	old.value = old.value.with(v)
	old.value.items = known
	at.put(object.Text(), old)
}

// setItem notes what an assignment sets: x["key"] = v.
func (a *analysis) setItem(target *syntax.Node, index []*syntax.Node, v value) {
	name := a.normal(target)
	at := a.scope.holder(name)
	if at == nil || at.variables[name].value.items == nil {
		return
	}
	old := at.variables[name]
	key, ok := a.constantKey(index)
	if ok && a.depth <= old.depth {
		old.value.items = old.value.items.put(key, v)
	} else {
		old.value.items = nil
	}
	at.put(name, old)
}
