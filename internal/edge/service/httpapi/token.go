package httpapi

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// SelfGuarded is a handler that authenticates its callers itself.
type SelfGuarded interface {
	// Guard returns the handler that answers callers with the token of the whole interface, "" for none, or
	// with another one that it accepts.
	Guard(token string) http.Handler
}

// Bearer returns the bearer token of a request, "" if it has none. The scheme is case-insensitive (RFC
// 9110).
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Equal reports whether two tokens are equal, in a time that reveals nothing about either.
func Equal(given, token string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

func guarded(token string, next http.Handler) http.Handler {
	if own, ok := next.(SelfGuarded); ok {
		return own.Guard(token)
	}
	if token == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Equal(Bearer(r), token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is required: Authorization: Bearer <http.token>", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
