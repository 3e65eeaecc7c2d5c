package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An error on a terminal breaks between words; what is laid out and fits stays as it is.
func TestErrorsBreakBetweenWords(t *testing.T) {
	require.Equal(t, "scaffoldwatch: no system runs\nhere\n  a  row", within("scaffoldwatch: no system runs here\n  a  row", 30))
}
