package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed writes symbols as "kind Container.name(signature) line", one a line.
func listed(language, code string) []string {
	var out []string
	for _, s := range Symbols(language, code, 1) {
		name := s.Name
		if s.Container != "" {
			name = s.Container + "." + name
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s%s", s.Line, s.Kind, name, s.Signature)))
	}
	return out
}

func TestSymbolsOfEachLanguage(t *testing.T) { // SW-10, SW-12
	for _, c := range []struct {
		name, language, code string
		want                 []string
	}{
		{"python", "python", `import os

class Store(Base):
    """Keeps things.

    def not_this(self): is only text
    """
    def __init__(self, path: str = "a:b"):
        self.path = path

    async def load_user(
        self,
        user_id: int,
        *, strict=False,
    ) -> User:
        def inner(x):
            return x
        return inner(user_id)

# def commented(): pass
def main(): return "def fake(): pass"
`, []string{
			"3 class Store", `8 method Store.__init__(self, path: str = "a:b")`,
			"11 method Store.load_user(self, user_id: int, *, strict=False)", "16 function inner(x)", "21 function main()",
		}},
		{"python piece of a class", "python", `        return x

    def save(self, item):
        self.items.append(item)

    @classmethod
    def of(cls, *items): return cls(items)
`, []string{"3 method save(self, item)", "7 method of(cls, *items)"}},
		{"python piece from inside a docstring", "python", `    text of the docstring, class of its own
    """
    x = 1

def later(a):
    pass
`, []string{"5 function later(a)"}},
		{"javascript", "javascript", `export default async function fetchUser(id, { strict = false } = {}) {
  if (id) { return call(id) }
  for (const x of y) { z(x) }
}
export class Cart extends Base {
  #total = 0
  constructor(items) { super(); this.items = items }
  static async load(id) { return new Cart(await get(id)) }
  get total() {
    return this.items.reduce((a, b) => a + b, 0)
  }
}
const debounce = (fn, ms) => { return fn }
const half = x => x / 2
const notOne = (a + b) * 2;
const handler = async function (req, res) { res.end() }
describe('things', () => {
  it('works', function () { expect(1).toBe(1) })
})
// function commented() {}
`, []string{
			"1 function fetchUser(id, { strict = false } = {})", "5 class Cart", "7 method Cart.constructor(items)",
			"8 method Cart.load(id)", "9 method Cart.total()", "13 function debounce(fn, ms)", "14 function half(x)", "16 function handler(req, res)",
		}},
		{"typescript", "typescript", `export interface User { id: string }
type Id<T> = string | T;
export enum Colour { Red }
export abstract class Repo<T> implements Base<T> {
  private readonly cache = new Map<string, T>();
  public async find(
    id: string,
    opts?: Options,
  ): Promise<T | undefined> {
    return this.cache.get(id);
  }
}
export const useThing = <T,>(a: T): T => { return a }
export const make = async (a: number): Promise<void> => {
  await other(a);
}
function overload(a: string): void;
`, []string{
			"1 interface User", "2 type Id", "3 type Colour", "4 class Repo", "6 method Repo.find(id: string, opts?: Options)",
			"13 function useThing(a: T)", "14 function make(a: number)", "17 function overload(a: string)",
		}},
		{
			"go", "go", "package a\n\ntype Store struct {\n\tdb *DB\n}\n\ntype Reader interface {\n\tRead(p []byte) (int, error)\n}\n\n" +
				"type Kind string\n\nfunc New[T any](ctx context.Context, opts ...Option) (*Store, error) {\n\treturn nil, nil\n}\n\n" +
				"func (s *Store) Load(\n\tctx context.Context,\n\tid string,\n) (*User, error) {\n\tf := func(x int) int { return x }\n\treturn `func Fake() {}`, nil\n}\n\nfunc (l List[T]) Len() int { return 0 }\n",
			[]string{
				"3 type Store", "7 interface Reader", "11 type Kind", "13 function New(ctx context.Context, opts ...Option)",
				"17 method Store.Load(ctx context.Context, id string)", "25 method List.Len()",
			},
		},
		{"java", "java", `public final class Account extends Base implements Closeable {
    private static final Map<String, Integer> M = new HashMap<>();
    public Account(String id) { this.id = id; }
    @Override
    public List<String> names(int limit, Map<String, Integer> seen) throws IOException {
        if (limit > 3) { return other(limit); }
        return new ArrayList<>();
    }
    abstract void close();
    enum State { OPEN }
}
interface Named { String name(); }
`, []string{
			"1 class Account", "3 method Account.Account(String id)", "5 method Account.names(int limit, Map<String, Integer> seen)",
			"9 method Account.close()", "10 type Account.State", "12 interface Named",
		}},
		{"ruby", "ruby", `module Billing
  class Invoice < Base
    def total(tax = 0.2)
      items.sum { |i| i.price } * (1 + tax)
    end

    def self.load(id) = find(id)

    def paid?
      @paid
    end
  end
end
`, []string{"1 module Billing", "2 class Billing.Invoice", "3 method Invoice.total(tax = 0.2)", "7 method Invoice.load(id)", "9 method Invoice.paid?"}},
		{"php", "php", `namespace App;
abstract class Users extends Base {
    public static function find(int $id, ?string $name = null): ?User {
        return $this->get($id);
    }
    protected abstract function save(array $row);
}
function helper(string $x) { return "function fake() {}"; }
interface Keeps { }
`, []string{"2 class Users", "3 method Users.find(int $id, ?string $name = null)", "6 method Users.save(array $row)", "8 function helper(string $x)", "9 interface Keeps"}},
		{"rust", "rust", `pub struct Pool<T> { items: Vec<T> }
pub(crate) enum Mode { Fast, Slow }
pub trait Source { fn next(&mut self) -> Option<u8>; }
impl<T: Clone> Source for Pool<T> {
    pub async fn next<'a>(&'a mut self, n: usize) -> Option<u8> {
        let c = '{';
        None
    }
}
fn main() { println!("fn fake() {}"); }
`, []string{"1 type Pool", "2 type Mode", "3 interface Source", "5 method Pool.next(&'a mut self, n: usize)", "10 function main()"}},
		{"not known", "cobol", "PROCEDURE DIVISION.", nil},
		{"nothing declared", "python", "x = 1\nprint(x)\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, listed(c.language, c.code))
		})
	}
}
