package convergence_test

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/convergence"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

var config = &convergence.Config{TextSimilarity: 0.6}

func finding(id string) runevents.Finding { return runevents.Finding{ID: id} }

// One of two findings is resolved, one stays, one is new: the score is 1 of 2.
func ExampleConfig_Compare() {
	first := []runevents.Finding{finding("F1"), finding("F2")}
	second := []runevents.Finding{finding("F2"), finding("F3")}
	c := config.Compare(first, second, nil)
	fmt.Println("resolved", c.Resolved[0].ID, "new", c.New[0].ID, "persistent", c.Persistent[0].ID, "score", *c.Score)

	// F1 comes back: it is no new finding but a regressed one.
	c = config.Compare(second, []runevents.Finding{finding("F1"), finding("F2")}, first[:1])
	fmt.Println("resolved", c.Resolved[0].ID, "regressed", c.Regressed[0].ID, "score", *c.Score)
	// Output:
	// resolved F1 new F3 persistent F2 score 0.5
	// resolved F3 regressed F1 score 0.5
}

// Nothing open in both cycles is a score of 1; findings of which none changed
// have no score.
func ExampleConfig_Compare_withoutChange() {
	fmt.Println(*config.Compare(nil, nil, nil).Score)
	same := []runevents.Finding{finding("F1")}
	fmt.Println(config.Compare(same, same, nil).Score)
	// Output:
	// 1
	// <nil>
}

// Without ids, file, category and nearly the same text make one finding of two.
func ExampleConfig_Identical() {
	first := []runevents.Finding{{File: "cart.go", Category: "testing", Text: "The empty cart is not tested."}}
	second := []runevents.Finding{{File: "cart.go", Category: "testing", Text: "Not tested: the empty cart."}}
	other := []runevents.Finding{{File: "cart.go", Category: "testing", Text: "Totals overflow for large orders."}}
	fmt.Println(config.Identical(first, second), config.Identical(first, other), config.Identical(nil, nil))
	// Output: true false false
}

// F1 was there, gone and is there again.
func ExampleConfig_Oscillating() {
	for _, f := range config.Oscillating(
		[]runevents.Finding{finding("F1"), finding("F2")},
		[]runevents.Finding{finding("F2")},
		[]runevents.Finding{finding("F1"), finding("F2")},
	) {
		fmt.Println(f.ID)
	}
	// Output: F1
}

// A later report closes findings and adds others.
func ExampleConfig_Update() {
	open := []runevents.Finding{finding("F1"), finding("F2")}
	for _, f := range config.Update(open, []runevents.Finding{{ID: "F1", State: "fixed"}, {ID: "F3"}}) {
		fmt.Println(f.ID)
	}
	// Output:
	// F2
	// F3
}
