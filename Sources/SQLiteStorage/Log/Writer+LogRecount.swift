import GatewayModel
internal import Telemetry

/// A recount where the stored counts use other reasons than ``ReasonLabel`` has.
///
/// A row is counted under the number of its words in `log_words`, and a word without a number under that of "other".
/// That holds for counts of this version, whose words are labels. It also holds for those of the first version, which
/// gave numbers to providers' own words too, and from the 4,000th on to none, states included. So the count that
/// includes a row is known, whichever version counted it, and the row can be subtracted.
extension Writer {
    /// The number of rows that are counted again before the counts are written, so that few are in memory.
    private static let recountedRows = 10_000

    /// Converts the counts to the reasons of ``ReasonLabel``.
    ///
    /// Reads every finished delivery that has a reason; where the first version ran out of numbers, every one.
    ///
    /// - Returns: False when the counts use them already.
    func recountReasons() throws -> Bool {
        var counted: Set<String> = []
        let known = try db.prepare("SELECT word FROM counted_reasons")
        while try known.next() { counted.insert(known.string(0)) }
        guard counted != ReasonLabel.known else { return false }
        let numbers = try storedWords()
        let other = try word(ReasonLabel.other)
        var deltas = LogDeltas()
        var waiting = 0
        let rows = try db.prepare(
            """
            SELECT brand, queued_at, push_type, state, reason, latency, indexed, message, delivered_at, displayed_at, \
            dismissed_at, campaign, badge, sent_at FROM delivery_log WHERE indexed = 1 AND (?1 OR reason IS NOT NULL)
            """
        ).int(numbers.count >= 4000 ? 1 : 0)
        while try rows.next() {
            let after = LogFacts(rows)
            var before = after
            before.reason = rows.optionalString(4)
            deltas.add(before, -1) { numbers[$0] ?? other }
            try deltas.add(after, 1, words: word)
            waiting += 1
            guard waiting == Self.recountedRows else { continue }
            try store(deltas)
            (deltas, waiting) = (LogDeltas(), 0)
        }
        try store(deltas)
        try foldCampaigns(numbers, other: other)
        for (word, number) in numbers where !Self.isClosed(word) {
            try db.prepare("DELETE FROM log_words WHERE id = ?").int(Int64(number)).run()
            memory.words[word] = nil
        }
        try db.prepare("DELETE FROM counted_reasons").run()
        for word in ReasonLabel.known {
            try db.prepare("INSERT INTO counted_reasons (word) VALUES (?)").text(word).run()
        }
        return true
    }

    /// Whether a word is of a set that no provider can extend.
    private static func isClosed(_ word: String) -> Bool {
        word == ReasonLabel.other || ReasonLabel.known.contains(word) || LogSums.isStateOrProvider(word)
    }

    /// Counts as "other" the campaigns' words that are not labels: their deliveries have left the log.
    private func foldCampaigns(_ numbers: [String: UInt16], other: UInt16) throws {
        let labels = Set(numbers.filter { ReasonLabel.known.contains($0.key) }.values.map(UInt32.init))
        var folded: [(campaign: Int64, counts: LogCounts)] = []
        let rows = try db.prepare("SELECT id, counts FROM campaigns WHERE counts IS NOT NULL")
        while try rows.next() {
            let counts = LogCounts(bytes: rows.bytes(1))
            var new = LogCounts()
            for (key, count) in counts.counts {
                var key = key
                if key.reason != 0, !labels.contains(key.reason) { key.reason = UInt32(other) }
                new.add(key, count)
            }
            if new.counts != counts.counts { folded.append((rows.int64(0), new)) }
        }
        for (campaign, counts) in folded {
            try db.prepare("UPDATE campaigns SET counts = ? WHERE id = ?").blob(counts.bytes).int(campaign).run()
        }
    }
}
