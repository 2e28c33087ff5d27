import GatewayClient

/// Prints the progress of a copy on standard error, at most once for every tenth of it.
final class CopyProgress {
    private let verb: String
    private var said = 0

    /// Creates progress output, which is silent for copies that finish at once; its lines begin with a verb, such as
    /// "backing up".
    init(_ verb: String) { self.verb = verb }

    /// Prints the progress in pages.
    func say(done: Int, total: Int) {
        guard total > 0, done < total else { return }
        let tenth = done * 10 / total
        guard tenth > said else { return }
        said = tenth
        StandardError.write("switchboard: \(verb): \(done) of \(total) pages")
    }
}
