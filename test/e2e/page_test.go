package e2e

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// visitor is a person with a browser that does not follow redirects.
type visitor struct {
	t    *testing.T
	base string
	http http.Client
}

func (s *running) visit() visitor {
	v := visitor{t: s.t, base: "http://" + s.HTTP()}
	v.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return v
}

func (v visitor) get(path string) (int, string) {
	v.t.Helper()
	return v.send(http.MethodGet, path, "", nil)
}

// post sends a form as a page of an origin does; "" means no origin.
func (v visitor) post(path, origin string, pairs ...string) (int, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return v.send(http.MethodPost, path, origin, form)
}

func (v visitor) send(method, path, origin string, form url.Values) (int, string) {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	require.NoError(v.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if origin != "" {
		request.Header.Set("Origin", origin)
	}
	response, err := v.http.Do(request)
	require.NoError(v.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	return response.StatusCode, string(body)
}

// CO-10: a person answers on the page what is pending, with the key that only the terminal shows: a false
// alarm, a question, a halt. Nobody else can.
func TestAnswersOnThePage(t *testing.T) {
	s := start(t, func(c *config.Config) { c.HTTP.Address = "127.0.0.1:0" })
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	v := s.visit()
	list, err := demo.Sessions(time.Now())
	require.NoError(t, err)
	for _, session := range list {
		if session[0].Subject == "payments-webhook" {
			s.publish(session[:5]) // with the turn of the credential
		}
	}
	var word readmodel.Interrupt
	require.Eventually(t, func() bool {
		open, err := decisions.UnansweredInterrupts(t.Context(), s.broker, time.Time{}, 10)
		if err == nil && len(open) == 1 {
			word = open[0]
		}
		return word.ID != ""
	}, patience, 50*time.Millisecond)
	pipe := s.openRun("pipe")
	pipe.tell(&runevents.RunStarted{Kind: "pipeline", Workflow: "standard"}, &runevents.TicketReceived{Title: "Make it better", Text: "improve the login"})
	loop := s.openRun("loop")
	require.Equal(t, runevents.ControlHalted, loop.tell(&runevents.RunStarted{Goal: "checkout"}, failed, failed, failed).State)

	keyed := "/?key=" + pageKey
	var page string
	shows := func(parts ...string) func() bool {
		return func() bool {
			_, page = v.get(keyed)
			for _, part := range parts {
				if !strings.Contains(page, part) {
					return false
				}
			}
			return true
		}
	}
	require.Eventually(t, shows(`value="dismiss"`, `value="answer"`, `value="resume"`, word.ID), patience, 50*time.Millisecond)
	for _, path := range []string{"/", "/?key=", "/?key=wrong"} {
		status, plain := v.get(path)
		require.Equal(t, http.StatusOK, status)
		require.NotContains(t, plain, "<form", path)
		require.Contains(t, plain, "scaffoldwatch resume loop", path)
	}

	status, body := v.get("/rules")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "The shipped rules are in force.")
	require.Contains(t, body, "dispatch.budget")

	// Nothing is accepted without the key in the form, from another site's page, or without a reason.
	dismiss := []string{"act", "dismiss", "target", word.ID, "why", "a sample"}
	for path, form := range map[string][]string{
		"/act": dismiss, "/act?key=" + pageKey: dismiss, "/act?a": append([]string{"key", "wrong"}, dismiss...),
	} {
		status, _ := v.post(path, "", form...)
		require.Equal(t, http.StatusForbidden, status, path)
	}
	status, _ = v.get("/answer?act=resume&of=loop")
	require.Equal(t, http.StatusForbidden, status)
	withKey := func(form ...string) []string { return append([]string{"key", pageKey}, form...) }
	status, _ = v.post("/act", "http://evil.example", withKey(dismiss...)...)
	require.Equal(t, http.StatusForbidden, status)
	status, body = v.post("/act", v.base, withKey("act", "dismiss", "target", word.ID, "why", " ")...)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, body, "give a reason")
	status, body = v.post("/act", v.base, withKey("act", "nothing")...)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, body, "does not answer anything")
	status, _ = v.post("/act", v.base, withKey("act", "answer", "of", "pipe", "target", "nosuch", "option", "A")...)
	require.Equal(t, http.StatusConflict, status)
	status, _ = v.post("/act", v.base, withKey("act", "dismiss", "why", strings.Repeat("x", 20<<10))...)
	require.Equal(t, http.StatusBadRequest, status)

	status, body = v.get("/answer?key=" + pageKey + "&act=dismiss&target=" + word.ID)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, word.ID)
	status, body = v.post("/act", v.base, withKey("act", "mute", "target", word.ID, "why", "a sample")...)
	require.Equal(t, http.StatusSeeOther, status, body)
	require.Equal(t, "payments-webhook", s.acts(runevents.ActMute)[0].Session)
	status, _ = v.post("/act", v.base, withKey(dismiss...)...)
	require.Equal(t, http.StatusSeeOther, status)
	now, err := decisions.FindInterrupt(t.Context(), s.broker, word.ID)
	require.NoError(t, err)
	require.True(t, now.Dismissed)
	require.Equal(t, readmodel.Fact{State: "dismissed", By: "ann", Why: "a sample"}, now.Facts[len(now.Facts)-1])

	one, err := decisions.RunOf(t.Context(), s.broker, "pipe")
	require.NoError(t, err)
	require.Len(t, one.Questions, 1)
	status, _ = v.post("/act", v.base, withKey("act", "answer", "of", "pipe", "target", one.Questions[0].RequestID, "option", "A")...)
	require.Equal(t, http.StatusSeeOther, status)
	one, err = decisions.RunOf(t.Context(), s.broker, "pipe")
	require.NoError(t, err)
	require.Empty(t, one.Questions)

	status, _ = v.post("/act", v.base, withKey("act", "resume", "of", "loop", "why", "the test is fixed")...)
	require.Equal(t, http.StatusSeeOther, status)
	one, err = decisions.RunOf(t.Context(), s.broker, "loop")
	require.NoError(t, err)
	require.Equal(t, runevents.ControlRunning, one.State)
	require.Eventually(t, func() bool {
		_, page = v.get(keyed)
		return !strings.Contains(page, `value="resume"`) && !strings.Contains(page, `value="answer"`) && !strings.Contains(page, word.ID)
	}, patience, 50*time.Millisecond)
}

// CO-15: a browser is notified within moments of a decision.
func TestThePageHearsOfDecisions(t *testing.T) {
	s := start(t, func(c *config.Config) { c.HTTP.Address = "127.0.0.1:0" })
	response, err := http.Get("http://" + s.HTTP() + "/console/events") //nolint:bodyclose // closed below, which ends the reading
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	heard := make(chan string, 1)
	go func() {
		text := make([]byte, 64)
		n, _ := response.Body.Read(text)
		heard <- string(text[:n])
	}()
	s.openRun("r").tell(&runevents.RunStarted{Goal: "checkout"})
	select {
	case text := <-heard:
		require.Equal(t, "data: decided\n\n", text)
	case <-time.After(patience):
		t.Fatal("nothing was heard")
	}
}
