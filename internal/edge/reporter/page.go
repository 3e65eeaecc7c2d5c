package reporter

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// Number of entries on a page over HTTP.
const (
	pageDefault = 100
	pageMost    = 1000
)

// listing is a list of the read model, in pages.
type listing[T any] struct {
	list  func(*readmodel.Model, readmodel.Page) ([]T, error)
	count func(*readmodel.Model) (int, error)
	place func(T) readmodel.Cursor
}

// sendPage responds with a page as a JSON array. The header X-Total-Count gives the total; Link names the
// next page, if any (RFC 8288).
func sendPage[T any](s *source, w http.ResponseWriter, q *http.Request, l listing[T]) {
	page, err := readPage(q.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	model := s.opened()
	if model == nil {
		http.Error(w, notOpen, http.StatusServiceUnavailable)
		return
	}
	asked := page.Limit
	page.Limit++ // one more shows whether there is another page
	list, err := l.list(model, page)
	var total int
	if err == nil {
		total, err = l.count(model)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if len(list) > asked {
		list = list[:asked]
		w.Header().Set("Link", nextLink(q.URL, l.place(list[asked-1])))
	}
	w.Header().Set("X-Total-Count", strconv.Itoa(total))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = json.NewEncoder(w).Encode(list)
}

// nextLink returns the address of the page after a cursor, keeping the other parameters.
func nextLink(from *url.URL, after readmodel.Cursor) string {
	query := from.Query()
	query.Set("after", writeCursor(after))
	return fmt.Sprintf("<%s?%s>; rel=\"next\"", from.EscapedPath(), query.Encode())
}

func readPage(query url.Values) (p readmodel.Page, err error) {
	p.Limit = pageDefault
	if text := query.Get("limit"); text != "" {
		if p.Limit, err = strconv.Atoi(text); err != nil || p.Limit < 1 || p.Limit > pageMost {
			return p, fmt.Errorf("limit must be 1 to %d", pageMost)
		}
	}
	if text := query.Get("after"); text != "" {
		p.After, err = readCursor(text)
	}
	return p, err
}

// writeCursor encodes a cursor for a URL.
func writeCursor(c readmodel.Cursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.Last.UnixMicro(), 10) + " " + c.ID))
}

var errCursor = errors.New("after must be the value in the header Link of the previous page")

func readCursor(text string) (c readmodel.Cursor, err error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, errCursor
	}
	micros, id, ok := strings.Cut(string(data), " ")
	number, err := strconv.ParseInt(micros, 10, 64)
	if err != nil || !ok {
		return c, errCursor
	}
	return readmodel.Cursor{Last: time.UnixMicro(number), ID: id}, nil
}
