package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

type reported []string

func (r *reported) add(line int, offset int64, reason string) {
	*r = append(*r, fmt.Sprintf("%d@%d %s", line, offset, reason))
}

// read reads all records as "key line@offset data".
func read(t *testing.T, r Reader) []string {
	t.Helper()
	var out []string
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			_, again := r.Next()
			require.ErrorIs(t, again, io.EOF)
			return out
		}
		require.NoError(t, err)
		out = append(out, fmt.Sprintf("%s %d@%d %s", rec.Key, rec.Line, rec.Offset, rec.Data))
	}
}

func small(s string) *bufio.Reader {
	return bufio.NewReaderSize(iotest.HalfReader(strings.NewReader(s)), 16)
}

func TestLines(t *testing.T) {
	var r reported
	input := "\xef\xbb\xbf{\"a\":1}\r\n\n  \n" + strings.Repeat("x", 40) + "\n" + strings.Repeat("y", 60) + "\nlast"
	got := read(t, NewLines(small(input), 50, r.add))
	require.Equal(t, []string{
		` 1@0 {"a":1}`,
		" 4@16 " + strings.Repeat("x", 40),
		" 6@118 last",
	}, got)
	require.Equal(t, reported{"5@57 line of 61 bytes is over the limit of 50"}, r)
}

func TestText(t *testing.T) {
	got := read(t, NewText(small("one\n\ntwo two two two two two\nend")))
	require.Equal(t, []string{" 1@0 one\n", " 2@4 \n", " 3@5 two two two two ", " 3@21 two two\n", " 4@29 end"}, got)
}

func TestWhole(t *testing.T) {
	var r reported
	require.Equal(t, []string{" 1@0 {}"}, read(t, NewWhole(small("\xef\xbb\xbf{}"), 10, r.add)))
	require.Empty(t, r)
	require.Equal(t, []string{" 1@0 01234"}, read(t, NewWhole(small("0123456789"), 5, r.add)))
	require.Len(t, r, 1)
}

// A document yields the elements of streamed arrays and the kept members; one
// broken or oversized element costs that element only (EV-3).
func TestDocument(t *testing.T) {
	members := Members{Stream: []string{"messages"}, Keep: []string{"id", "info"}}
	for name, c := range map[string]struct {
		input   string
		records []string
		reports []string
	}{
		"members in order": {
			input:   `{"skip":{"messages":[1]},"id":"x","messages":[{"a":"]}"},2,"s",[3]],"info":{"b":"\"}"},"n":1}`,
			records: []string{`id 1@30 "x"`, `messages 1@46 {"a":"]}"}`, "messages 1@57 2", `messages 1@59 "s"`, "messages 1@63 [3]", `info 1@75 {"b":"\"}"}`},
		},
		"lines are counted": {
			input:   "{\n \"messages\": [\n  1,\n  {\n  \"a\":\n 2}\n ]\n}",
			records: []string{"messages 3@19 1", "messages 4@24 {\n  \"a\":\n 2}"},
		},
		"damage inside an element": {
			input:   `{"messages":[{"a":"\d"},{"b":1}]}`,
			records: []string{`messages 1@13 {"a":"\d"}`, `messages 1@24 {"b":1}`},
		},
		"an element over the limit": {
			input:   `[{"a":"` + strings.Repeat("x", 80) + `"},{"b":1}]`,
			records: []string{` 1@90 {"b":1}`},
			reports: []string{"1@1 value of 88 bytes is over the limit of 64"},
		},
		"a kept member that is no array": {input: `{"messages":"none"}`},
		"an array at the top":            {input: ` [1, 2]`, records: []string{" 1@2 1", " 1@5 2"}},
		"broken off in an element": {
			input:   `{"messages":[{"a":1},{"b":`,
			records: []string{`messages 1@13 {"a":1}`},
			reports: []string{"1@26 document breaks off before its end"},
		},
		"broken off in a number": {input: `[1`, records: []string{" 1@1 1"}, reports: []string{"1@2 document breaks off before its end"}},
		"no name":                {input: `{1:2}`, reports: []string{"1@1 unexpected '1' where a member's name should be"}},
		"wrong bracket":          {input: `[1}`, records: []string{" 1@1 1"}, reports: []string{"1@2 unexpected '}' inside an array"}},
		"no document":            {input: `x`, reports: []string{"1@0 document begins with 'x', not { or ["}},
	} {
		t.Run(name, func(t *testing.T) {
			var r reported
			require.Equal(t, c.records, read(t, NewDocument(small(c.input), members, 64, r.add)))
			require.Equal(t, reported(c.reports), r)
		})
	}
}

func TestReadersPassErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	in := func() *bufio.Reader {
		return bufio.NewReader(io.MultiReader(strings.NewReader(`[1,`), iotest.ErrReader(broken)))
	}
	var r reported
	for _, reader := range []Reader{NewLines(in(), 10, r.add), NewText(in()), NewWhole(in(), 10, r.add), NewDocument(in(), Members{}, 10, r.add)} {
		var err error
		for n := 0; err == nil && n < 5; n++ {
			_, err = reader.Next()
		}
		require.ErrorIs(t, err, broken, "%T", reader)
	}
	require.Empty(t, r)
}

func TestSplit(t *testing.T) {
	var got []string
	for _, part := range Split([]byte(`{"a":"}{"} [1]2 "x"{"cut":`)) {
		got = append(got, strings.TrimSpace(string(part)))
	}
	require.Equal(t, []string{`{"a":"}{"}`, "[1]", "2", `"x"`}, got)
	require.Empty(t, Split([]byte(`  `)))
	require.Empty(t, Split([]byte(`,}`)))
}

func TestOutline(t *testing.T) {
	long := strings.Repeat("x", 300)
	p, whole, size := Outline([]byte(`{"type":"a\"b","n":-1.5,"t":true,"deep":{"in":{"never":1},"s":"v"},"list":[{"role":"user"},{"other":1}],"long":"` + long + `"} rest`))
	require.True(t, whole)
	require.Equal(t, " rest", (`{"type":"a\"b","n":-1.5,"t":true,"deep":{"in":{"never":1},"s":"v"},"list":[{"role":"user"},{"other":1}],"long":"` + long + `"} rest`)[size:])
	require.Equal(t, Probe{
		"type": `a"b`, "n": "-1.5", "t": "true", "deep": "{", "deep.in": "{", "deep.s": "v",
		"list": "[", "list[]": "{", "list[].role": "user", "long": "",
	}, p)
	require.True(t, p.Has("type", "deep.s"))
	require.False(t, p.Has("type", "no"))
	require.True(t, p.Is("type", "x", `a"b`))
	require.False(t, p.Is("no", ""))
}

// A stream gives the outline that its bytes give, with what follows left in it.
func TestOutlineOfAStream(t *testing.T) {
	far := `{"info":{"config":"` + strings.Repeat("x", 300<<10) + `","mini_version":"2"},` +
		`"messages":[{"role":"user","content":"go"},{}],"n":1}`
	in := bufio.NewReaderSize(strings.NewReader(far+"\n{}"), 16)
	p, whole := OutlineNext(in)
	require.True(t, whole)
	same, _, _ := Outline([]byte(far))
	require.Equal(t, same, p)
	require.True(t, p.Has("info.mini_version", "messages[].content", "n"))
	rest, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, "\n{}", string(rest))

	var crowd strings.Builder
	for i := range outlinePaths + 10 {
		crowd.WriteString(`,"k` + strconv.Itoa(i) + `":1`)
	}
	p, _ = OutlineNext(bufio.NewReader(strings.NewReader(`{"z":0` + crowd.String() + "}")))
	require.Len(t, p, outlinePaths)
}

// An outline of cut or damaged text never runs on or fails.
func TestOutlineOfDamage(t *testing.T) {
	full := `{"a":{"b":[1,{"c":"d"}]},"e":"f"}`
	for n := range full {
		p, whole, size := Outline([]byte(full[:n]))
		require.False(t, whole)
		require.LessOrEqual(t, size, n)
		require.NotNil(t, p)
	}
	for _, s := range []string{"{]", "[}", "{\"a\"}", "{\"a\":}", "[,,]", "{{{{", "[[[[", "}", "{\"a\":1 2}"} {
		_, _, size := Outline([]byte(s))
		require.LessOrEqual(t, size, len(s))
	}
}

func FuzzReaders(f *testing.F) {
	for _, s := range []string{`{"messages":[{"a":1},2]}`, `[1,"x",{}]`, "{\"a\":1}\n{\"b\":2}\n", "\"", "[{\"a\":\"\\", "{\"messages\":[[[]]]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		report := func(int, int64, string) {}
		in := func() *bufio.Reader { return bufio.NewReaderSize(strings.NewReader(string(data)), 16) }
		for _, reader := range []Reader{
			NewLines(in(), 64, report), NewText(in()), NewWhole(in(), 64, report),
			NewDocument(in(), Members{Stream: []string{"messages"}, Keep: []string{"a"}}, 64, report),
		} {
			n := 0
			for ; ; n++ {
				if _, err := reader.Next(); err != nil {
					require.ErrorIs(t, err, io.EOF)
					break
				}
				require.LessOrEqual(t, n, len(data), "%T does not end", reader)
			}
		}
		p, whole, _ := Outline(data)
		streamed, also := OutlineNext(in())
		require.Equal(t, p, streamed)
		require.Equal(t, whole, also)
		Split(data)
	})
}
