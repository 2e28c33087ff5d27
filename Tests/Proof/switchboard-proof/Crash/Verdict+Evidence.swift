import ProcessHarness

extension Verdict {
    /// Counts the results of everything that was accepted before a signal stopped the gateway.
    init(_ evidence: Evidence, ending: CrashSettings.Ending) {
        let arrivals = Arrivals(evidence)
        let record = evidence.record
        let name = ending == .kill ? "kill -9" : "SIGTERM"
        note("gateway stopped by \(name)", "\(evidence.endings.count)")
        note("events posted", "\(record.posted)")
        note("ids posted again after their response", "\(record.replays)")
        note("requests sent again without a response", "\(record.retries)")
        lines.append(
            Line(
                name: "events accepted (202 seen)",
                value: "\(record.accepted)",
                bound: "= posted",
                holds: record.accepted == record.posted
            )
        )
        let pairs = record.messages.reduce(0) { $0 + $1.devices.count }
        note("deliveries expected (message x device)", "\(pairs)")
        note("pushes that reached a device", "\(evidence.pushes.count)")
        note("pushes that the simulator rejected, to be retried", "\(evidence.refused)")
        let results = MessageResults(evidence, arrivals)
        note("delivered", "\(results.delivered)")
        for (reason, count) in results.withdrawn.sorted(by: { $0.key < $1.key }) {
            note("withdrawn correctly: \(reason)", "\(count)")
        }
        promiseNone("lost", results.lost)
        let duplicates = Duplicates(evidence, arrivals)
        promise("duplicated", duplicates.count, atMost: duplicates.inFlight, examples: duplicates.examples)
        note("in flight at a stop: arrived, no outcome stored", "\(duplicates.inFlight)")
        promiseNone("duplicated without having been in flight", duplicates.unexplained)
        promiseNone("unread errors", Self.unreadErrors(evidence))
        promiseNone("gaps in sequences", Self.gaps(record))
        promiseNone("responses that contradict earlier ones", record.contradictions)
        let badges = Badges(evidence)
        promiseNone("badge decreases without a read", badges.decreases)
        note("badge decreases after a read", "\(badges.explained)")
        promiseNone("pushes to a token after its logout's response", arrivals.afterLogout)
        note(
            "of them allowed: on the wire, up to \(Arrivals.wireAllowanceMilliseconds) ms after",
            "\(arrivals.onTheWire)"
        )
        let slowest = evidence.endings.map(\.secondsToReady).max() ?? 0
        note("slowest start to ready", "\(Int(slowest * 1000)) ms")
        if ending == .term {
            let wrong = evidence.endings.filter { $0.exit != .init(status: 0, isSignal: false) }
            promiseNone("stops that did not exit with 0", wrong.map { "\($0.exit)" })
        }
        let last = evidence.lastExit
        promiseNone("last stop that did not exit with 0", last == .init(status: 0, isSignal: false) ? [] : ["\(last)"])
    }

    private static func unreadErrors(_ evidence: Evidence) -> [String] {
        var counts: [Int: Int] = [:]
        let marks = evidence.record.reads.mapValues { $0.map(\.upTo).max() ?? 0 }
        for message in evidence.record.messages where message.counts {
            if message.sequence > marks[message.consumer] ?? 0 { counts[message.consumer, default: 0] += 1 }
        }
        return evidence.unread.sorted { $0.key < $1.key }.compactMap { consumer, unread in
            let own = counts[consumer] ?? 0
            return unread == own ? nil : "u-\(consumer): the API returned \(unread), expected \(own)"
        }
    }

    private static func gaps(_ record: ResponseRecord) -> [String] {
        let sequences = Dictionary(grouping: record.messages, by: \.consumer).mapValues { $0.map(\.sequence).sorted() }
        return sequences.sorted { $0.key < $1.key }.compactMap { consumer, found in
            found == Array(1...found.count) ? nil : "c-\(consumer): \(found.count) messages up to \(found.last ?? 0)"
        }
    }
}
