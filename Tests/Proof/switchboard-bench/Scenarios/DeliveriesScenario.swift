import Foundation
import GatewayModel
import GatewayStorage
import ProcessHarness

/// The first page of each filter of the delivery list, statistics, and the search, over very many finished deliveries,
/// compared with the read of one delivery by its number.
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
                question.fill(&query, sample.message)
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

    private struct Question {
        var name: String
        var expected: ClosedRange<Int>
        var fill: (inout DeliveryQuery, MessageID) -> Void
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
            Question(name: "message", expected: 1...1) { query, message in query.message = message },
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
            Question(name: "state and provider, combined", expected: 1...50) { query, _ in
                query.state = .failed
                query.provider = .fcm
            },
        ]
    }
}
