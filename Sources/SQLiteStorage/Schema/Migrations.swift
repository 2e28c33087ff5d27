import GRDB

/// The migrations by name, in order; never edited once released, each in its own transaction.
enum Migrations {
    static let all: [(name: String, sql: String)] = [
        (M0001CreateTables.name, M0001CreateTables.sql)
    ]

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in all {
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
        }
        return migrator
    }
}
