package families

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func catalogue(t testing.TB) *Catalogue {
	c, err := Load(rules.Default())
	require.NoError(t, err)
	return c
}

func keys(list []*Member) (out []string) {
	for _, m := range list {
		out = append(out, m.Key())
	}
	return out
}

// The issue asks for at least twelve families and five ecosystems.
func TestBreadth(t *testing.T) {
	c := catalogue(t)
	languages := map[string]bool{}
	members := 0
	for _, f := range c.Families {
		require.NotEmpty(t, f.Noun, f.ID)
		require.NotEmpty(t, f.Topics, f.ID)
		for _, m := range f.Members {
			languages[m.Language] = true
			members++
		}
	}
	require.GreaterOrEqual(t, len(c.Families), 20)
	require.GreaterOrEqual(t, len(languages), 7)
	require.GreaterOrEqual(t, members, 250)
}

func TestLookups(t *testing.T) {
	c := catalogue(t)
	require.Equal(t, []string{"http-client/requests"}, keys(c.Imported("python", "requests.adapters")))
	require.Equal(t, []string{"database/GORM"}, keys(c.Imported("go", "gorm.io/gorm/clause")))
	require.Equal(t, []string{"database/pgx"}, keys(c.Imported("go", "github.com/jackc/pgx/v5/pgxpool")))
	require.Equal(t, []string{"server-state/RTK Query"}, keys(c.Imported("javascript", "@reduxjs/toolkit/query/react")))
	require.Equal(t, []string{"mocking/testify/mock"}, keys(c.Imported("go", "github.com/stretchr/testify/mock")))
	require.Equal(t, []string{"http-client/reqwest"}, keys(c.Imported("rust", "reqwest::Client")))
	require.Equal(t, []string{"database/Eloquent"}, keys(c.Imported("php", `Illuminate\Database\Eloquent\Model`)))
	require.Empty(t, c.Imported("python", "axios"))
	require.Empty(t, c.Imported("python", "requestsx"))
	require.Empty(t, c.Imported("go", ""))
	require.Equal(t, []string{"database/SQLAlchemy"}, keys(c.Packaged("python", "Flask_SQLAlchemy")))
	require.Equal(t, []string{"cli/Cobra"}, keys(c.Packaged("go", "github.com/spf13/cobra")))
	require.Equal(t, "package-manager/pnpm", c.ByFile("pnpm-lock.yaml").Key())

	require.Equal(t, []string{"http-client/axios"}, keys(c.Named("the axios library")))
	require.Equal(t, []string{"http-client/fetch"}, keys(c.Named("`fetch` directly")))
	require.Empty(t, c.Named("a flag"))
	require.Equal(t, []string{"http-client/fetch"}, keys(c.NamedInRule("fetch directly")))
	require.Empty(t, c.Named("an if statement"))
	require.True(t, slices.Contains(keys(c.Named("raw SQL")), "database/database/sql"))
	require.Len(t, c.Named("bcrypt"), 5)

	require.Equal(t, "database", c.About("all database access").ID)
	require.Equal(t, "password-hashing", c.About("hashing passwords").ID)
	require.Nil(t, c.About("the button"))
	require.Equal(t, "http-client", c.Wraps("@/lib/apiClient").ID)
	require.Equal(t, "logging", c.Wraps("../utils/logger.js").ID)
	require.Equal(t, "database", c.Wraps("app.db").ID)
	require.Nil(t, c.Wraps("./button"))
	require.Nil(t, c.Wraps(""))
}

func TestRivals(t *testing.T) {
	c := catalogue(t)
	member := func(key string) *Member {
		m := c.Member(key)
		require.NotNil(t, m, key)
		return m
	}
	require.True(t, member("validation/zod").Rivals(member("validation/joi")))
	require.False(t, member("validation/zod").Rivals(member("validation/zod")))
	require.False(t, member("logging/structlog").Rivals(member("logging/logging module")), "they live together")
	require.False(t, member("validation/zod").Rivals(member("validation/Pydantic")), "another language")
	require.False(t, member("validation/zod").Rivals(member("http-client/axios")), "another job")
	require.Equal(t, "javascript", Ecosystem("typescript"))
	require.Equal(t, "java", Ecosystem("kotlin"))
	require.Equal(t, "go", Ecosystem("go"))
}

func TestLoadRefuses(t *testing.T) {
	for _, bad := range []string{
		"families: {families: [{id: cli, together: [[Cobra, Nobody]]}]}",
		"families: {families: [{id: twice, noun: n, members: [{name: a, language: go}, {name: a, language: go}]}]}",
	} {
		set, err := rules.Load("test.yaml", []byte(bad))
		require.NoError(t, err)
		_, err = Load(set)
		require.ErrorContains(t, err, "load library families")
	}
}

func FuzzNamed(f *testing.F) {
	c := catalogue(f)
	f.Add("the axios library")
	f.Add("` `")
	f.Fuzz(func(t *testing.T, phrase string) {
		for _, m := range c.Named(phrase) {
			require.NotNil(t, m.Family())
		}
		c.About(phrase)
		c.Wraps(phrase)
		c.Imported("go", phrase)
	})
}
