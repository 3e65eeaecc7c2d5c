package embedded

import (
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
	natsclient "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// User is who may connect over the network: whoever has the seed of a public
// nkey.
type User struct {
	PublicKey string
	// Rights hold the user to some subjects; nil allows everything.
	Rights *Rights
}

// Rights are the subjects to which a user may publish and subscribe.
type Rights struct{ Publish, Subscribe []string }

// own is the key of this process, new at each start and nowhere else.
type own struct {
	pair   nkeys.KeyPair
	public string
}

func newOwn() (own, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return own{}, fmt.Errorf("make a key: %w", err)
	}
	public, err := pair.PublicKey()
	return own{pair, public}, err
}

// admit has the server refuse whoever is none of the users. This process logs in
// with a key of its own and may do everything.
func (s *Server) admit(o *server.Options, users []User) error {
	if len(users) == 0 {
		return nil
	}
	key, err := newOwn()
	if err != nil {
		return err
	}
	s.own = key
	o.Nkeys = []*server.NkeyUser{{Nkey: key.public}}
	for _, u := range users {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: u.PublicKey, Permissions: u.Rights.permissions()})
	}
	return nil
}

func (r *Rights) permissions() *server.Permissions {
	if r == nil {
		return nil
	}
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: r.Publish},
		Subscribe: &server.SubjectPermission{Allow: r.Subscribe},
	}
}

// Login returns how a connection of this process logs in, nothing where everybody
// may connect.
func (s *Server) Login() []nats.Option {
	if s.own.pair == nil {
		return nil
	}
	return []nats.Option{natsclient.Nkey(s.own.public, s.own.pair.Sign)}
}
