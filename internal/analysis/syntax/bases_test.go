package syntax

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBases(t *testing.T) {
	for _, c := range []struct {
		language, code string
		want           []string
	}{
		{"python", "class A(Base, mixins.Log, metaclass=Meta):\n    pass\n", []string{"Base", "mixins.Log"}},
		{"python", "class A(Generic[T]):\n    pass\n", []string{"Generic"}},
		{"python", "class A:\n    pass\n", nil},
		{"python", "class A():\n    pass\n", nil},
		{"typescript", "export class A extends Base<T> implements X, Y {\n}\n", []string{"Base", "X", "Y"}},
		{"typescript", "interface A extends B {\n}\n", []string{"B"}},
		{"javascript", "class A {\n}\n", nil},
		{"java", "public class A extends B implements C<D>, E {\n}\n", []string{"B", "C", "E"}},
		{"ruby", "class A < ApplicationRecord\nend\n", []string{"ApplicationRecord"}},
		{"ruby", "class A < Api::Base\nend\n", []string{"Api::Base"}},
		{"php", "final class A extends B implements C {\n}\n", []string{"B", "C"}},
		{"go", "type A struct {\n\tB\n}\n", nil},
	} {
		list := Symbols(c.language, c.code, 0)
		require.NotEmpty(t, list, c.code)
		require.Equal(t, c.want, list[0].Bases, c.code)
	}
}
