/// An error of the store; no case holds a value of a row.
package enum StorageError: Error, Sendable, Equatable {
    /// Another process holds the data.
    case locked(detail: String)
    /// The data was written by a newer version: its newest migration is unknown here.
    case newerSchema(migration: String)
    /// A migration was applied to the data with other statements than this version has.
    case changedMigration(String)
    /// The file is a database of another program.
    case foreign(detail: String)
    /// The disk or the quota is full.
    case full(detail: String)
    /// The data cannot be written.
    case readOnly(detail: String)
    /// The data is damaged.
    case corrupt(detail: String)
    /// The store did not respond or a device failed; it may be transient.
    case unavailable(detail: String)
    /// A row violated a constraint of the schema; the caller's other rows are not the cause.
    case constraint(detail: String)
    /// The name is taken (a brand, a credential, an app).
    case duplicate
    /// The store is closed.
    case closed

    /// A stable word for log lines and metric labels.
    package var label: String {
        switch self {
        case .locked: "locked"
        case .newerSchema: "newer_schema"
        case .changedMigration: "changed_migration"
        case .foreign: "foreign"
        case .full: "full"
        case .readOnly: "read_only"
        case .corrupt: "corrupt"
        case .unavailable: "unavailable"
        case .constraint: "constraint"
        case .duplicate: "duplicate"
        case .closed: "closed"
        }
    }

    /// All labels.
    package static let labels = [
        "locked", "newer_schema", "changed_migration", "foreign", "full", "read_only", "corrupt", "unavailable",
        "constraint", "duplicate", "closed",
    ]

    /// A text for operators, without values of rows.
    package var text: String {
        switch self {
        case .locked(let detail): "the data is in use by another process: \(detail)"
        case .newerSchema(let migration):
            "the data was written by a newer version of switchboard (migration \(migration) is unknown to this one)"
        case .changedMigration(let migration):
            "the data was written by another build of switchboard (its migration \(migration) is not the one of this build)"
        case .foreign(let detail): "the file is not a database of switchboard: \(detail)"
        case .full(let detail): "the disk is full: \(detail)"
        case .readOnly(let detail): "the data cannot be written: \(detail)"
        case .corrupt(let detail): "the data is damaged: \(detail)"
        case .unavailable(let detail): "the store does not respond: \(detail)"
        case .constraint(let detail): "a row violates a constraint of the schema: \(detail)"
        case .duplicate: "the name is taken"
        case .closed: "the store is closed"
        }
    }
}
