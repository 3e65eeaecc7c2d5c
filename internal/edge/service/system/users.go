package system

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// Users returns the users who may connect to a broker that listens: the holders of the keys in a directory,
// which are created at the first start (EV-10).
func Users(directory string) ([]embedded.User, error) {
	public, err := credential.Keep(directory)
	if err != nil {
		return nil, err
	}
	return []embedded.User{
		{PublicKey: public[credential.Publisher], Rights: embedded.PublisherRights()},
		{PublicKey: public[credential.Infra], Rights: embedded.InfraRights()},
		{PublicKey: public[credential.Operator], Rights: embedded.OperatorRights()},
		{PublicKey: public[credential.Admin]}, // everything
	}, nil
}
