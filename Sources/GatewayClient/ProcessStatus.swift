/// The exit status; scripts and service managers rely on the numbers.
package enum ProcessStatus: Int32, CaseIterable, Sendable {
    /// Done, or stopped by one SIGTERM or SIGINT.
    case ok = 0
    /// An error while running: a failed expectation of the demonstration, an error of the API, a provider that cannot be used.
    case failure = 1
    /// Wrong arguments or settings; nothing was started. Of `apply --plan`: the file and the gateway differ.
    case usage = 2
    /// The data directory or the database is in use by another process, not writable, full, damaged or not
    /// switchboard's.
    case data = 3
    /// The master key is missing or is not the one that the data was encrypted with.
    case masterKey = 4
    /// The database was written by a newer version, or by a build with other migrations.
    case newerDatabase = 5
    /// Listening on the address failed.
    case listen = 6
    /// Stopped at once by a second signal; deliveries in flight are sent again at the next start.
    case secondSignal = 143

    /// The lines of the help text; the Operating page has them as a table.
    package static var help: String {
        allCases.map { "\($0.rawValue)\(String(repeating: " ", count: $0.rawValue < 10 ? 4 : 2))\($0.text)" }
            .joined(separator: "\n")
    }

    /// A description in one line.
    package var text: String {
        switch self {
        case .ok: "done, or stopped by one SIGTERM or SIGINT"
        case .failure: "failed while running, or the gateway returned an error"
        case .usage: "wrong arguments or settings, or `apply --plan` found differences; nothing was started"
        case .data: "the data is in use by another process, not writable, damaged, or not switchboard's"
        case .masterKey: "the master key is missing, malformed or does not fit the data"
        case .newerDatabase: "the database was written by a newer version, or by a build with other migrations"
        case .listen: "listening on the address failed"
        case .secondSignal: "stopped at once by a second signal; the next start resumes deliveries"
        }
    }
}
