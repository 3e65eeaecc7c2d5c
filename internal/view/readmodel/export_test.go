package readmodel

import (
	"database/sql"
	"fmt"
)

// Database is the writer's connection.
func (m *Model) Database() *sql.DB { return m.writer }

// FirstSchema makes a file as the first version did.
func FirstSchema() string {
	steps, err := migrations()
	if err != nil {
		panic(err)
	}
	return steps[0] + fmt.Sprintf("PRAGMA user_version = 1; PRAGMA application_id = %d;", application)
}
