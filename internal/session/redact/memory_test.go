package redact

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
)

// What was recognised by a name is recognised without it, also by a state that was stored between.
func TestMemoryRecallsWhatWasRecognised(t *testing.T) {
	r, g := redactor(t), secretstest.New(5)
	for range 20 {
		secret := g.Random(24)
		var m Memory
		_, found := r.With(&m).Text("password = \""+secret+"\"", "")
		require.NotEmpty(t, found)
		stored, err := json.Marshal(m)
		require.NoError(t, err)
		require.NotContains(t, string(stored), secret)
		var later Memory
		require.NoError(t, json.Unmarshal(stored, &later))
		for _, frame := range []string{"The value %s is in place.", "(%s)", "x=%s;", "https://host/%s/y", `line\n%s\n`, "%s"} {
			clean, found := r.With(&later).Text(fmt.Sprintf(frame, secret), "")
			require.NotContains(t, clean, secret, frame)
			require.Len(t, found, 1, frame)
			require.Equal(t, m.Values[0].Fingerprint, found[0].Fingerprint)
		}
		alone, _ := r.Text("The value "+secret+" is in place.", "")
		require.Contains(t, alone, secret, "the case shows nothing: it is recognised without the memory")
	}
}

// What is repeated is not always what was recognised: the password of a user, a value that ended a
// quotation, and a random value in which a word of examples happens to be between digits.
func TestMemoryRecallsWhatIsRepeatedAlone(t *testing.T) {
	r, g := redactor(t), secretstest.New(9)
	password := "Ocean" + "Lantern" + "44"
	random := g.Random(9) + "7my3" + g.Random(9) + "4na2" // "my" and "na" mark examples where they are words
	for secret, first := range map[string]string{
		password:       "run `curl -u admin:" + password + " https://shop.example.com/export`",
		password + "!": "the file has `machine git.example.com login al password " + password + "!`",
		random:         "https://api.example.com/v1/rates?base=EUR&apikey=" + random,
	} {
		var m Memory
		clean, found := r.With(&m).Text(first, "")
		require.NotEmpty(t, found)
		require.NotContains(t, clean, secret)
		clean, _ = r.With(&m).Text("The value "+secret+" is in place.", "")
		require.NotContains(t, clean, secret, "%s", found[0].Rule)
	}
}

// Random letters without a digit are themselves, names made of words are not.
func TestMemoryRecallsRandomLetters(t *testing.T) {
	r := redactor(t)
	secret := "qTzRkWb" + "MxPdJvLs" + "YhGnCfQe"
	var m Memory
	_, found := r.With(&m).Text("password = \""+secret+"\"", "")
	require.NotEmpty(t, found)
	clean, _ := r.With(&m).Text("The value "+secret+" is in place.", "")
	require.NotContains(t, clean, secret)
	for _, name := range []string{"openSessionForCustomer", "LanternHarbourWindow", "getXAndYOfThePoint", "correct-horse-battery-staple"} {
		require.False(t, irregular(name), name)
	}
}

// A literal that is a word is a secret in its place only.
func TestMemoryLeavesWordsAlone(t *testing.T) {
	r := redactor(t)
	var m Memory
	_, found := r.With(&m).Text(`password = "production"`, "")
	require.NotEmpty(t, found)
	clean, _ := r.With(&m).Text("Deploy it to production now.", "")
	require.Equal(t, "Deploy it to production now.", clean)
}

// The memory is bounded, and counts what it forgot.
func TestMemoryIsBounded(t *testing.T) {
	r, g := redactor(t), secretstest.New(6)
	var m Memory
	first := g.Random(24)
	r.With(&m).Text("password = \""+first+"\"", "")
	for range maximumRemembered + 9 {
		r.With(&m).Text("password = \""+g.Random(24)+"\"", "")
	}
	require.Len(t, m.Values, maximumRemembered)
	require.Equal(t, 10, m.Forgotten)
	require.LessOrEqual(t, m.Size(), maximumRemembered*rememberedMemory)
	clean, _ := r.With(&m).Text("The value "+first+" is in place.", "")
	require.Contains(t, clean, first)
}

// BenchmarkText measures a text of 18 KB: with nothing remembered, a few values, and as many as are kept.
func BenchmarkText(b *testing.B) {
	r, g := redactor(b), secretstest.New(8)
	text := g.Text(18 << 10)
	for _, values := range []int{0, 4, 16, maximumRemembered} {
		var m Memory
		for i := range values {
			r.With(&m).Text("password = \""+g.Random(20+i%40)+"\"", "")
		}
		b.Run(fmt.Sprintf("%d", values), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				r.With(&m).Text(text, "")
			}
		})
	}
}
