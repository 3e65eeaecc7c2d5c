// Command advisor asks a model for second opinions on findings, and records the answers. It is the only
// service that sends anything elsewhere, and only to the endpoint in its settings.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/models"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
)

func main() {
	s := advisor.With(models.Open)
	s.Commands = map[string]service.Command{"ask": {
		Usage: "[--config FILE] …  reads one question of `scaffoldwatch up` as JSON and prints the answer",
		Run: func(ctx context.Context, c config.Config, _ *slog.Logger, out io.Writer) error {
			asked, err := models.Open(c.Advisor)
			if err != nil {
				return err
			}
			return model.Exchange(ctx, asked, os.Stdin, out)
		},
	}}
	os.Exit(service.Main(s, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
