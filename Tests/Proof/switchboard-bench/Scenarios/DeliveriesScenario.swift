import Foundation
import GatewayModel
import GatewayStorage
import ProcessHarness

/// The first page of each filter of the delivery list, statistics, the search, and what explains a message, over very many
/// finished deliveries, compared with the read of one delivery by its number.
struct DeliveriesScenario {
    /// The number of finished deliveries.
    var finished: Int
    /// The limit of each as a multiple of a read by number.
    var ratioLimit: Double

    /// Fills a store and queries it.
    ///
    /// - Returns: The figures.
    /// - Throws: `StorageError`, or an error of the file system.
    func run() async throws -> Report {
        let folder = FileManager.default.temporaryDirectory.appending(path: "deliveries-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixture = try await LogFixture(path: folder.appending(path: "bench.sqlite").path())
        try await fixture.fill(finished)
        var report = Report()
        let name = "\(finished) finished deliveries"
        // The smaller of before and after, so that a slow read with cold caches does not improve the ratios.
        let before = try await read(fixture)
        var times: [(name: String, seconds: Double)] = []
        for question in questions(fixture) {
            var count = 0
            let time = try await medianSeconds(fixture.samples) { sample in
                var query = DeliveryQuery(brand: LogFixture.brand, limit: 50)
                question.fill(&query, sample)
                count = try await fixture.store.deliveries(query).items.count
            }
            guard question.expected.contains(count) else { throw HarnessError("\(question.name): \(count) rows") }
            times.append(("\(question.name), first page of \(count)", time))
        }
        for (window, seconds) in [("1h", 3600), ("3d", 3 * 86_400), ("7d", 7 * 86_400), ("30d", 30 * 86_400)]
            as [(String, Int64)]
        {
            let time = try await medianSeconds(fixture.samples) { _ in
                _ = try await fixture.store.deliveryStats(
                    brand: LogFixture.brand,
                    window: StatsWindow(seconds: seconds),
                    now: fixture.now
                )
            }
            times.append(("stats of \(window)", time))
        }
        for (what, text) in names {
            let time = try await medianSeconds(fixture.samples) { sample in
                _ = try await fixture.store.search(text(sample.message), brand: LogFixture.brand)
            }
            times.append(("search for \(what)", time))
        }
        times += try await explanations(fixture)
        let baseline = min(before, try await read(fixture))
        report.add(name, "read of one by its number", baseline * 1e6, "us")
        for (question, time) in times {
            report.add(name, question, time / baseline, "reads", atMost: ratioLimit)
        }
        report.add(name, "commit of 500 outcomes", fixture.outcomeSeconds.median * 1e6, "us a delivery")
        report.add(name, "the same, indexed and counted", fixture.indexedSeconds.median * 1e6, "us a delivery")
        await fixture.store.close()
        return report
    }

    private func read(_ fixture: LogFixture) async throws -> Double {
        try await medianSeconds(fixture.samples) { sample in
            guard try await fixture.store.delivery(brand: LogFixture.brand, id: sample.delivery) != nil else {
                throw HarnessError("a delivery is missing")
            }
        }
    }

    /// The names that are searched for.
    private var names: [(what: String, text: (MessageID) -> String)] {
        [
            ("a message", { $0.description }), ("an APNs id, none", { $0.derived(by: .max).description }),
            ("a consumer", { _ in "consumer-105" }), ("a device", { _ in "7f0e0000-0190-4cc0-8000-consumer-105" }),
            ("nothing", { _ in "nothing" }),
        ]
    }

    // MARK: Explanations

    /// Measures the reads that explain a message, or the last one.
    private func explanations(_ fixture: LogFixture) async throws -> [(name: String, seconds: Double)] {
        let pushed = try await medianSeconds(fixture.samples) { sample in
            let found = try await explain(sample.message, to: sample.consumer, fixture)
            guard found == 1 else { throw HarnessError("a message has \(found ?? 0) deliveries, not 1") }
        }
        let notPushed = try await medianSeconds(fixture.withoutDelivery) { sample in
            let found = try await explain(sample.message, to: sample.consumer, fixture)
            guard found == 0 else { throw HarnessError("a message to no device is missing, or has a delivery") }
        }
        let unknown = try await medianSeconds(fixture.samples) { sample in
            let found = try await explain(sample.message.derived(by: .max), to: sample.consumer, fixture)
            guard found == nil else { throw HarnessError("an unknown message was found") }
        }
        let last = try await medianSeconds(fixture.samples) { sample in
            _ = try await explain(nil, to: sample.consumer, fixture)
        }
        return [
            ("explain a message with a delivery", pushed), ("explain a message without one", notPushed),
            ("explain an unknown message", unknown), ("explain the last message of the day", last),
        ]
    }

    /// Reads what the route reads that explains a message to a consumer (`GET .../consumers/{consumer}/explain`).
    ///
    /// - Parameters:
    ///   - id: The message; nil is the last one, which is searched in the last minute, hour and day.
    ///   - consumer: The consumer.
    ///   - fixture: The store.
    /// - Returns: The number of the message's deliveries; nil without the message.
    /// - Throws: `StorageError`, or ``HarnessError`` without the consumer.
    private func explain(_ id: MessageID?, to consumer: ConsumerID, _ fixture: LogFixture) async throws -> Int? {
        let (store, brand) = (fixture.store, LogFixture.brand)
        guard try await store.consumer(brand: brand, id: consumer) != nil else {
            throw HarnessError("\(consumer) is missing")
        }
        func messages(after: MessageID, limit: Int) async throws -> [Message] {
            try await store.messages(
                brand: brand,
                consumer: consumer,
                conversation: nil,
                afterSequence: 0,
                after: after,
                limit: limit
            ) ?? []
        }
        var message: Message?
        if let id {
            message = try await store.message(id, of: brand).flatMap { $0.consumer == consumer ? $0 : nil }
            // The route responds 404.
            guard message != nil else { return nil }
        } else {
            for seconds in [60, 3600, 86_400] as [Int64] where message == nil {
                let start = fixture.now.adding(seconds: -seconds).milliseconds
                message = try await messages(after: MessageID(high: UInt64(start) << 16, low: 0), limit: 50).last
            }
        }
        _ = try await store.registrations(brand: brand, consumer: consumer)
        guard let message else { return nil }
        var query = DeliveryQuery(brand: brand, limit: 500)
        query.consumer = consumer
        query.message = message.id
        return try await store.deliveries(query).items.count
    }

    // MARK: Filters

    private struct Question {
        var name: String
        var expected: ClosedRange<Int>
        var fill: (inout DeliveryQuery, LogFixture.Sample) -> Void
    }

    private func questions(_ fixture: LogFixture) -> [Question] {
        let middle = fixture.now.adding(seconds: -10 * 86_400)
        return [
            Question(name: "no filter", expected: 50...50) { _, _ in },
            Question(name: "no filter, brand of 1 %", expected: 1...50) { query, _ in
                query.brand = LogFixture.smallBrand
            },
            Question(name: "state, common", expected: 50...50) { query, _ in query.state = .accepted },
            Question(name: "state, one row", expected: 0...1) { query, _ in query.state = .expired },
            Question(name: "state, none", expected: 0...0) { query, _ in query.state = .suppressed },
            Question(name: "state, unfinished", expected: 0...0) { query, _ in query.state = .retrying },
            Question(name: "reason, common", expected: 1...50) { query, _ in query.reason = "BadDeviceToken" },
            Question(name: "reason, one row", expected: 0...1) { query, _ in query.reason = LogFixture.rareReason },
            Question(name: "reason, none", expected: 0...0) { query, _ in query.reason = "Nobody" },
            Question(name: "provider, common", expected: 50...50) { query, _ in query.provider = .apns },
            Question(name: "provider, none", expected: 0...0) { query, _ in query.provider = .huawei },
            Question(name: "consumer", expected: 1...50) { query, _ in
                query.consumer = ConsumerID(trusted: "consumer-105")
            },
            Question(name: "consumer, none", expected: 0...0) { query, _ in
                query.consumer = ConsumerID(trusted: "nobody")
            },
            Question(name: "device", expected: 1...50) { query, _ in
                query.device = DeviceID(trusted: "7f0e0000-0190-4cc0-8000-consumer-105")
            },
            Question(name: "device, none", expected: 0...0) { query, _ in query.device = DeviceID(trusted: "nothing") },
            Question(name: "message", expected: 1...1) { query, sample in query.message = sample.message },
            Question(name: "cursor", expected: 0...50) { query, sample in query.before = sample.delivery },
            Question(name: "since, last day", expected: 50...50) { query, _ in
                query.since = fixture.now.adding(seconds: -86_400)
            },
            Question(name: "until, ten days ago", expected: 50...50) { query, _ in query.until = middle },
            Question(name: "an hour, ten days ago", expected: 0...50) { query, _ in
                query.since = middle.adding(seconds: -3600)
                query.until = middle
            },
            Question(name: "window without rows", expected: 0...0) { query, _ in
                query.since = fixture.now.adding(seconds: -30 * 86_400)
                query.until = fixture.now.adding(seconds: -29 * 86_400)
            },
            Question(name: "state and window, combined", expected: 1...50) { query, _ in
                query.state = .failed
                query.until = middle
            },
            // What the failures by reason are counted from.
            Question(name: "state and last day, combined", expected: 1...50) { query, _ in
                query.state = .failed
                query.since = fixture.now.adding(seconds: -86_400)
            },
            Question(name: "state and provider, combined", expected: 1...50) { query, _ in
                query.state = .failed
                query.provider = .fcm
            },
        ]
    }
}
