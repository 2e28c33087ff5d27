/// Says on standard error how far a copy is, at most once for every tenth of it.
final class CopyProgress {
    private let verb: String
    private var said = 0

    /// Nothing is said for copies that are done at once.
    ///
    /// - Parameter verb: What is done.
    init(_ verb: String) { self.verb = verb }

    /// Hears how far it is.
    ///
    /// - Parameters:
    ///   - done: Pages done.
    ///   - total: Pages in all.
    func say(done: Int, total: Int) {
        guard total > 0, done < total else { return }
        let tenth = done * 10 / total
        guard tenth > said else { return }
        said = tenth
        StandardError.write("switchboard: \(verb): \(done) of \(total) pages")
    }
}
