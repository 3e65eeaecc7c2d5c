package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

//go:embed *.gohtml
var sources embed.FS

// Script keeps a page up to date in a browser; Style is the style sheet of all views.
var (
	//go:embed console.js
	Script string
	//go:embed console.css
	Style string
)

// Policy restricts a page to its own server for loading, requests and forms.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"

// refreshEvery is the interval, in seconds, at which a browser without scripts reloads a view that people
// watch.
const refreshEvery = 10

var parsed = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(sources, "*.gohtml")) })

// Place describes where and for whom a view is shown.
type Place struct {
	Now  time.Time
	Zone *time.Location
	// Key lets a person answer on the page; without it the page shows only commands.
	Key string
	// Machine means that the agents' folders are on the page's machine.
	Machine bool
	// Lifting is how long a denial can be lifted (GD-11).
	Lifting time.Duration
	// Budget is how many interrupts a session may have at once (DP-15); 0 shows none.
	Budget int
	// Titles are what detectors find, by id.
	Titles map[string]string
	// Foot is the footer of every view (CO-25); Note explains why it has no answers, "" if it has.
	Foot, Note string
}

// link returns an address on this server that keeps the key; pairs are its parameters, empty ones are left
// out.
func (p *Place) link(path string, pairs ...string) string {
	query := url.Values{}
	if p.Key != "" {
		query.Set("key", p.Key)
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func (p *Place) session(id string) string { return p.link("/sessions/" + url.PathEscape(id)) }

func (p *Place) run(id string) string { return p.link("/runs/" + url.PathEscape(id)) }

// found names what a detector finds, as reports do: "stuck loop, C4".
func (p *Place) found(detector string) string {
	if title := p.Titles[detector]; title != "" {
		return page.Plain(title + ", " + detector)
	}
	return page.Plain(detector)
}

// at formats a moment in the reader's time zone.
func (p *Place) at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	zone := p.Zone
	if zone == nil {
		zone = time.UTC
	}
	if t = t.In(zone); t.Year() != p.Now.In(zone).Year() {
		return t.Format("2 Jan 2006 15:04")
	}
	return t.Format("2 Jan 15:04")
}

// The views, as the navigation bar names them.
const (
	viewNeeds     = "Needs you"
	viewLive      = "Live"
	viewPrevented = "Prevented"
	viewFleet     = "Fleet"
	viewRules     = "Rules"
)

// shell is the frame around a view.
type shell struct {
	view, title string
	news        string // the address of its updates, "" for a view that does not change
	every       int    // seconds after which a browser without scripts reloads it, 0 for never
}

// render writes a view in its shell.
func (p *Place) render(w io.Writer, s shell, name string, data any) error {
	var body bytes.Buffer
	if err := parsed().ExecuteTemplate(&body, name, data); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	type view struct {
		Name, Link string
		Current    bool
	}
	all := struct {
		Title, Policy, Home, News, Foot, Note string
		Every                                 int
		Views                                 []view
		Body                                  template.HTML
	}{
		Title: "scaffoldwatch", Policy: Policy, Home: p.link("/"), News: s.news, Foot: p.Foot, Note: p.Note, Every: s.every,
		Body: template.HTML(body.String()), //nolint:gosec // the template has escaped it
	}
	if s.title != "" {
		all.Title = s.title + " · scaffoldwatch"
	}
	for _, v := range []struct{ name, path string }{
		{viewNeeds, "/"}, {viewLive, "/live"}, {viewPrevented, "/prevented"}, {viewFleet, "/fleet"}, {viewRules, "/rules"},
	} {
		all.Views = append(all.Views, view{v.name, p.link(v.path), v.name == s.view})
	}
	var text bytes.Buffer
	if err := parsed().ExecuteTemplate(&text, "layout.gohtml", all); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	if _, err := w.Write(doc.Shown(text.Bytes())); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// age returns how long something has waited, in the largest unit that fits.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// passage returns the beginning of a text with its lines, and how many characters were left out.
func passage(text string, limit int) (shown string, left int) {
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	runes := []rune(text)
	if len(runes) <= limit+limit/5 { // cutting off a few characters would only annoy
		return text, 0
	}
	return string(runes[:limit]) + "…", len(runes) - limit
}
