package codepattern

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// flowRule finds what reaches sink(…) whatever its origin.
func flowRule(language string) Rule {
	all := map[string]float64{"request": 0.9, "input": 0.8, "cli": 0.7, "parameter": 0.6, "unknown": 0.5, "internal": 0.4}
	return Rule{
		ID: "sink", Languages: []string{language}, Triggers: []string{`\bsink\(`},
		Calls: []Call{{Callee: []string{"sink"}}}, Flow: &Flow{Category: "sql", Direct: all, Built: all},
	}
}

// Each case is a body; the wanted origin is that of what reaches sink, "" for nothing.
func TestFlow(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	cases := map[string][][2]string{
		"python": {
			{`x = request.args["a"]` + "\nsink(x)", "request"},
			{"x = request.args.get('a', type=int)\nsink(x)", ""},
			{"x = int(request.args['a'])\nsink(x)", ""},
			{"x = 'a'\nx += request.form['b']\nsink('q' + x)", "request"},
			{"a, b = request.form['a'], 'b'\nsink(b)", ""},
			{"a, b = request.form['a'], 'b'\nsink(a)", "request"},
			{"for x in request.args.getlist('x'):\n    sink(f'{x}')", "request"},
			{"q = 'a'\nif y:\n    q = request.args['q']\nsink(q)", "request"},
			{"q = request.args['q']\nq = 'a'\nsink(q)", ""},
			{"xs = []\nxs.append(request.args['q'])\nsink(' '.join(xs))", "request"},
			{"def help(s):\n    return 'a' + s\nsink(help(request.args['q']))", "request"},
			{"def help(s):\n    return len(s)\nsink(help(request.args['q']))", ""},
			{"sink('%d' % request.args['q'])", ""},
			{"sink('%(a)s' % {'a': request.args['q']})", "request"},
			{"sink('{:d}'.format(request.args['q']))", ""},
			{"sink(f'{request.args[\"q\"]:d}')", ""},
			{"sink('{a}'.format(a=request.args['q']))", "request"},
			{"def f(name):\n    sink(name)", "parameter"},
			{"def f(name: int):\n    sink(name)", ""},
			{"def f(name):\n    sink(name)\nf(request.args['q'])", "parameter"},
			{"f(request.args['q'])\ndef f(name):\n    sink(name)", "parameter"},
			{"def f(name):\n    sink(name)\nf('a')", "parameter"},
			{"def f(name):\n    sink(int(name))\nf(request.args['q'])", ""},
			{"def f(name):\n    f(name)\n    sink(name)\nf(request.args['q'])", "parameter"},
			{"class C:\n    def f(self, name):\n        sink(name)\n    def g(self):\n        self.f(request.args['q'])", "parameter"},
			{"class C:\n    def f(self, name):\n        sink(name)\nother.f(request.args['q'])", "parameter"},
			{"def f(self):\n    sink(self.name)", "unknown"},
			{"sink(os.environ['A'])", "internal"},
			{"sink(sys.argv[1])", "cli"},
			{"sink(input())", "input"},
			{"sink(NAME)", ""},
			{"sink(other)", "unknown"},
			{"sink([x for x in request.args.values()])", "request"},
			{"if name in ALLOWED:\n    sink(name)", ""},
			{"if not is_valid(name):\n    raise ValueError\nsink(name)", ""},
			{"with open(request.args['f']) as f:\n    sink(f)", "request"},
			{"sink(x if y else request.args['q'])", "request"},
			{"sink(TABLE.get(request.args['q']))", ""},
			{"@app.get('/x')\ndef f(q: str, n: int, db: Session = Depends(get)):\n    sink(q)", "request"},
			{"@app.get('/x')\ndef f(q: str, n: int, db: Session = Depends(get)):\n    sink(n)", ""},
			{"        return None\n    sink(request.args['q'])\nx = 1", "request"},
			{"def f(a, b:\n    sink(request.args['q'])\n", "request"},
			{"x = [1,\nsink(request.args['q'])\n", "request"},
		},
		"javascript": {
			{"const { a: b } = req.body; sink(b);", "request"},
			{"const q = `x ${req.query.q}`; sink(q);", "request"},
			{"const n = Number(req.query.n); sink(`${n}`);", ""},
			{"let q = req.query.q; { let q = 'a'; sink(q); }", ""},
			{"const xs = [req.query.a].map(x => x.trim()); sink(xs.join(','));", "request"},
			{"const xs = req.query.a.map(() => '?'); sink(xs.join(','));", ""},
			{"if (!ALLOWED.includes(req.query.a)) return; sink(req.query.a);", ""},
			{"const f = s => 'a' + s; sink(f(req.body.a));", "request"},
			{"function f(name) { sink(name); }", "parameter"},
			{"app.get('/x', async (req, res) => { const a = await req.json(); sink(a.b); });", "request"},
			{"sink(process.argv[2]);", "cli"},
			{"sink(process.env.A);", "internal"},
			{"sink(req.query?.a ?? 'b');", "request"},
			{"const a = req.query.mode === 'x' ? 'y' : 'z'; sink(a);", ""},
			{"sink(sql`a ${req.query.a}`);", ""},
		},
		"typescript": {
			{"function f(id: number) { sink(id); }", ""},
			{"const a = (req.query.a as string)!; sink(a);", "request"},
			{"class A { f(name: string) { sink(name); } }", "parameter"},
		},
		"go": {
			{"func f(r *http.Request) { x := r.FormValue(\"a\"); sink(\"q\" + x) }", "request"},
			{"func f(r *http.Request) { x, err := strconv.Atoi(r.FormValue(\"a\")); sink(x) }", ""},
			{"func f(a, b string) { sink(b) }", "parameter"},
			{"func (s *Store) f(a string) { sink(a) }\nfunc (s *Store) g(r *http.Request) { s.f(r.FormValue(\"a\")) }", "parameter"},
			{"func (s *Store) f(a string) { sink(a) }\nfunc g(o Other, r *http.Request) { o.f(r.FormValue(\"a\")) }", "parameter"},
			{"func f(n int64) { sink(fmt.Sprintf(\"%v\", n)) }", ""},
			{"func f(n string) { sink(fmt.Sprintf(\"%d\", n)) }", ""},
			{"func f() { q := \"a\"; { q := \"b\"; q += os.Args[1]; _ = q }; sink(q) }", ""},
			{"func f() { var b strings.Builder; for _, a := range os.Args { b.WriteString(a) }; sink(b.String()) }", "cli"},
			{"func f() { var s string; fmt.Scanln(&s); sink(s) }", "input"},
			{"func f(r *http.Request) { c := &T{A: r.FormValue(\"a\")}; sink(c.A) }", "request"},
			{"func f(r *http.Request) { d := &T{}; d.A = r.FormValue(\"a\"); sink(d.A) }", "request"},
			{"func f(r *http.Request) { if !allowed[r.FormValue(\"a\")] { return }; x := r.FormValue(\"b\"); sink(x) }", "request"},
			{"func f(a string) { if _, ok := allowed[a]; !ok { return }; sink(a) }", ""},
			{"func g(s string) string { return s }\nfunc f(r *http.Request) { sink(g(r.FormValue(\"a\"))) }", "request"},
			{"func f(r *http.Request) { v := any(r.FormValue(\"a\")); s := v.(string); sink(s) }", "request"},
			{"func (s *S) f() { sink(s.cfg.Name) }", "internal"},
			{"func f(w http.ResponseWriter, r *http.Request) { c, err := r.Cookie(\"a\"); sink(err) }", ""},
			{"func f(w http.ResponseWriter, r *http.Request) { c, err := r.Cookie(\"a\"); sink(c) }", "request"},
			{"func f(x string) { switch x { case \"a\": sink(\"b\") } }", ""},
		},
		"java": {
			{"class A { void f(HttpServletRequest request) { sink(request.getParameter(\"a\")); } }", "request"},
			{"class A { void f(HttpServletRequest request) { int n = parse(request.getParameter(\"a\")); sink(n); } }", ""},
			{"class A { @GetMapping(\"/x\") String f(@RequestParam String q, @RequestParam long n) { sink(q); } }", "request"},
			{"class A { @GetMapping(\"/x\") String f(@RequestParam String q, @RequestParam long n) { sink(n); } }", ""},
			{"class A { @PostMapping String f(@RequestBody Form form) { sink(form.getName()); } }", "request"},
			{"class A { void f(String a) { StringBuilder b = new StringBuilder(\"x\"); b.append(a).append(\"y\"); sink(b.toString()); } }", "parameter"},
			{"class A { void f(String a) { sink(String.format(Locale.ROOT, \"%d\", a)); } }", ""},
			{"class A { void f(String a) { sink(COLUMNS.get(a)); } }", ""},
			{"class A { void f(String a) { if (!\"asc\".equals(a)) { throw new E(); } sink(a); } }", ""},
			{"class A { void f(String a) { if (a.equals(\"\")) { return; } sink(a); } }", "parameter"},
			{"class A { void f(Connection c) { try (R r = open(\"a\" + name)) { sink(r); } } }", "unknown"},
			{"class A { void f(List<String> l) { for (String s : l) { sink(s); } } }", "parameter"},
			{"class A { void f(List<Integer> l) { for (int i : g(l)) { sink(i); } } }", ""},
			{"class A { void f() { sink(Color.valueOf(name).name()); } }", ""},
			{"class A { public static void main(String[] args) { sink(args[0]); } }", "cli"},
		},
		"ruby": {
			{"sink(params[:a])", "request"},
			{"def f(params)\n  sink(params[:a])\nend", "parameter"},
			{"sink(params[:a].to_i)", ""},
			{"sink(params[:ids].map(&:to_i).join(','))", ""},
			{"params[:ids].each do |id|\n  sink(id)\nend", "request"},
			{"x = params[:ids].map { |id| \"'#{id}'\" }.join(',')\nsink(x)", "request"},
			{"x = params[:ids].map { |id| '?' }.join(',')\nsink(x)", ""},
			{"x = 'a'\nx << params[:b] << 'c'\nsink(x)", "request"},
			{"x = <<~SQL\n  a #{params[:b]}\nSQL\nsink(x)", "request"},
			{"a, b = <<~A, <<~B\n  x\nA\n  #{params[:b]}\nB\nsink(a)", ""},
			{"def f(a)\n  return unless %w[a b].include?(a)\n  sink(a)\nend", ""},
			{"def f(a)\n  sink(a) if ALLOWED.include?(a)\nend", ""},
			{"def f(a)\n  raise 'x' unless a =~ /\\A\\w+\\z/\n  sink(a)\nend", ""},
			{"def f(user)\n  sink(user.name)\nend", "parameter"},
			{"def g\n  params[:a]\nend\nsink(g)", "request"},
			{"x = `ls #{params[:a]}`\nsink(x)", "unknown"},
			{"sink(params[:a].shellescape.strip)", "request"},
			{"sink(ENV['A'])", "internal"},
			{"sink(ARGV[0])", "cli"},
			{"sink(gets.chomp)", "input"},
		},
		"php": {
			{"sink($_GET['a']);", "request"},
			{"sink((int) $_GET['a']);", ""},
			{"$a = trim($_POST['a'] ?? ''); sink(\"x $a y\");", "request"},
			{"$a = \"x\"; $a .= $_GET['b']; sink($a);", "request"},
			{"function f(string $a, int $b) { sink($a); }", "parameter"},
			{"function f(string $a, int $b) { sink($b); }", ""},
			{"function f(Request $request) { sink($request->input('a')); }", "request"},
			{"function f(Request $request) { sink($request->integer('a')); }", ""},
			{"class A { #[Route('/x')] function f(string $a, Request $r) { sink($a); } }", "request"},
			{"foreach ($_POST['a'] as $k => $v) { sink($v); }", "request"},
			{"if (!in_array($_GET['a'], $list)) { exit; } sink($_GET['a']);", ""},
			{"sink($_FILES['a']['tmp_name']);", ""},
			{"$a = <<<X\nb {$_GET['a']}\nX;\nsink($a);", "request"},
			{"function g($x) { return 'a' . $x; } sink(g($_GET['a']));", "request"},
			{"<p>it's</p><?php sink($_GET['a']); ?><p>'</p>", "request"},
			{"sink('?>' . $_GET['a']); ?>\n<p>sink(1)</p>", "request"},
			{"$this->sink; sink(sprintf('%d', $_GET['a']));", ""},
		},
	}
	for language, list := range cases {
		e := engine(t, flowRule(language))
		for _, c := range list {
			found := e.Code(language, c[0])
			if c[1] == "" {
				require.Empty(t, found, "%s: %s", language, c[0])
				continue
			}
			require.NotEmpty(t, found, "%s: %s", language, c[0])
			require.Equal(t, c[1], found[0].Origin.String(), "%s: %s", language, c[0])
		}
	}
}

// A match shows the value's way: source, steps, sink, each line once.
func TestFlowSteps(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	cases := map[string][2]string{
		"assigned":        {"x = request.args['a']\ny = 1\nq = 'a' + x\nsink(q)", "source 1, step 3, sink 4"},
		"on one line":     {"sink(request.args['a'])", "source 1, sink 1"},
		"collected":       {"xs = []\nxs.append(request.args['q'])\nsink(' '.join(xs))", "source 2, sink 3"},
		"a parameter":     {"def f(a,\n      b):\n    c = b\n    sink(c)", "source 2, step 3, sink 4"},
		"in a loop":       {"q = ''\nfor x in request.args.values():\n    q += x\nsink(q)", "source 2, step 3, sink 4"},
		"of several ways": {"a = input()\nb = request.args['b']\nsink(a + b)", "source 2, sink 3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found := engine(t, flowRule("python")).Code("python", c[0])
			require.Len(t, found, 1)
			var steps []string
			for _, s := range found[0].Flow {
				steps = append(steps, fmt.Sprintf("%s %d", s.Role, s.Line))
				require.Equal(t, strings.TrimSpace(strings.Split(c[0], "\n")[s.Line-1]), s.Code)
			}
			require.Equal(t, c[1], strings.Join(steps, ", "))
		})
	}
}
