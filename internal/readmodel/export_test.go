package readmodel

import "database/sql"

// Database is the writer's connection.
func (m *Model) Database() *sql.DB { return m.writer }
