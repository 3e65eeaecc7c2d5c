package syntax

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Languages without a grammar: declarations are what their patterns match (SW-10).
func TestSymbolsByPatternAlone(t *testing.T) {
	for _, c := range []struct {
		name, language, code string
		want                 []string
	}{
		{"c", "c", `#include "pool.h"
struct pool {
	int size; /* int fake(void) { */
};
static inline int
clamp(int v, int low);
static unsigned long hash_key(const char *key, size_t len)
{
	unsigned long h = 5381;
	for (size_t i = 0; i < len; i++) {
		h = mix(h, key[i]);
	}
	if (h == 0) { return reseed(key); }
	return h;
}
int table[4] = { 1, 2, 3, 4 };
pool_t *pool_new(int size) {
	return alloc(size);
}
`, []string{
			"2 type pool", "7 function hash_key(const char *key, size_t len)", "17 function pool_new(int size)",
		}},
		{"c++", "cpp", `namespace net {
class Socket : public Handle {
public:
  int read(char *into, int most) const {
    while (open()) { wait(); }
    return most;
  }
};
std::vector<std::string> Split(const std::string &text, char by) {
  std::vector<std::string> out;
  return out;
}
void Socket::close(bool hard) {
  shutdown(hard);
}
}
`, []string{
			"1 module net", "2 class net.Socket", "4 method Socket.read(char *into, int most)",
			"9 function net.Split(const std::string &text, char by)", "13 function net.close(bool hard)",
		}},
		{"c#", "csharp", `namespace Shop;
public sealed class Basket : IBasket
{
    public Basket(IClock clock) { this.clock = clock; }

    [Obsolete]
    public async Task<decimal> TotalAsync(IReadOnlyList<Line> lines, CancellationToken cancel)
    {
        if (lines.Count == 0) { return 0; }
        return await Sum(lines);
    }

    private static decimal Round(decimal sum) => Math.Round(sum, 2);
}
public interface IBasket { Task<decimal> TotalAsync(IReadOnlyList<Line> lines, CancellationToken cancel); }
public record Line(string Sku, int Count);
`, []string{
			"2 class Basket", "4 method Basket.Basket(IClock clock)",
			"7 method Basket.TotalAsync(IReadOnlyList<Line> lines, CancellationToken cancel)", "13 method Basket.Round(decimal sum)",
			"15 interface IBasket", "16 class Line",
		}},
		{"kotlin", "kotlin", `data class Line(
    val sku: String,
    val count: Int,
)

class Basket(private val clock: Clock) : Store<Line> {
    override suspend fun total(lines: List<Line>, tax: Double = 0.2): Money {
        val note = "fun fake() {"
        return lines.sumOf { it.price() }
    }
    private fun half(x: Int) = x / 2
}

fun <T> List<T>.second(): T? {
    return getOrNull(1)
}
interface Store<T> { fun close() }
`, []string{
			"1 class Line", "6 class Basket", "7 method Basket.total(lines: List<Line>, tax: Double = 0.2)",
			"11 method Basket.half(x: Int)", "14 function second()", "17 interface Store",
		}},
		{"swift", "swift", `public struct Basket {
    private mutating func add(_ line: Line, count: Int = 1) throws -> Bool {
        guard count > 0 else { return false }
        return true
    }
    static func empty() -> Basket { Basket() }
}
extension Basket: Codable {
    func total(of lines: [Line]) -> Decimal {
        lines.reduce(0) { $0 + $1.price }
    }
}
protocol Store { func load(id: String) -> Basket? }
@discardableResult func retry<T>(_ times: Int, _ body: () throws -> T) rethrows -> T {
    try body()
}
`, []string{
			"1 class Basket", "2 method Basket.add(_ line: Line, count: Int = 1)", "6 method Basket.empty()",
			"9 method Basket.total(of lines: [Line])", "13 interface Store", "14 function retry(_ times: Int, _ body: () throws -> T)",
		}},
		{"shell", "shell", `#!/bin/bash
# usage() { of old }
wait_for_port() {
  local host="$1" port="${2#*:}"
  until nc -z "$host" "$port"; do sleep 1; done
  echo "up } after $#"
}
function die {
  echo "$*" >&2
  exit 1
}
wait_for_port localhost 80
`, []string{"3 function wait_for_port()", "8 function die"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, listed(c.language, c.code))
		})
	}
}

// A body ends with its braces, also where a '#' or a quote is no comment and no string.
func TestBodiesByPatternAlone(t *testing.T) {
	list := Symbols("shell", "a() {\n  x=${1#-}; y='}'\n  run_it \"$x\" | sort_them | head_of 5\n}\nb() {\n  other\n}\n", 1)
	require.Len(t, list, 2)
	require.NotEqual(t, list[0].Shingles, list[1].Shingles)
	same := Symbols("kotlin", "fun a(x: Int): Int {\n  val y = twice(x)\n  return log(y)\n}\nfun b(x: Int): Int {\n  val y = twice(x)\n  return log(y)\n}\n", 1)
	require.Len(t, same, 2)
	require.Equal(t, same[0].Shingles, same[1].Shingles)
}
