package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
)

// Every detector has enough plants of both kinds, and each can be filled.
func TestPlants(t *testing.T) {
	plants, err := loadPlants()
	require.NoError(t, err)
	known := view{File: "lib/a.go", Dir: "lib", Ext: "go", Seen: function{Name: "getRow", Text: "func getRow(id int) {\n}\n", Path: "lib/a.go"}, Seed: 7}
	faults, near, names := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, p := range plants {
		key := p.set + " " + p.detector + " " + p.Name
		require.False(t, names[key], "two plants are called %s", key)
		names[key] = true
		turns, err := filled(p, known)
		require.NoError(t, err, key)
		require.NotEmpty(t, turns, key)
		if p.set != "first" && p.detector != "E4" && p.detector != "E5" { // which were written after their code was read
			continue
		}
		if p.fault() {
			faults[p.detector]++
		} else {
			near[p.detector]++
		}
	}
	for _, d := range all.Detectors() {
		require.GreaterOrEqual(t, faults[d.ID], 8, "faults of %s", d.ID)
		require.GreaterOrEqual(t, near[d.ID], 8, "near misses of %s", d.ID)
	}
}

// A function built again has another name and other parameters.
func TestRenamed(t *testing.T) {
	f := function{Name: "getRow", Text: "func getRow(id int) string {\n\treturn rows[id]\n}\n"}
	require.Equal(t, "fetchRow", synonym("getRow"))
	require.Equal(t, "func fetchRow(given int) string {\n\treturn rows[given]\n}\n", renamed(f, synonym("getRow")))
}

func TestFunctionsIn(t *testing.T) {
	body := "    total = 0\n    for x in xs:\n        total += x\n    if total < 0:\n        raise ValueError(total)\n    count = len(xs)\n    return total / count\n"
	found := functionsIn("import os\n\ndef mean(xs):\n"+body+"\ndef short():\n    pass\n\nx = 1\n", "python", "a.py")
	require.Len(t, found, 1)
	require.Equal(t, function{Name: "mean", Text: "def mean(xs):\n" + body, Path: "a.py"}, found[0])
	require.Empty(t, functionsIn("def cut(xs):\n"+body, "python", "a.py"), "the text ends before the function does")
}
