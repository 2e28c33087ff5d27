import GatewayModel
import GatewayStorage
import ProcessHarness

/// Pages of the unreachable consumers of many with unread messages, compared with the read of one delivery by its number.
///
/// The first half of the consumers has devices, the other half has none.
struct UnreachableScenario {
    /// The number of consumers, at least 2,000.
    var consumers: Int
    /// The limit of a page as a multiple of a read by number.
    var ratioLimit = 100.0

    private static let brand = BrandID(trusted: Installation.brand)
    private static let eventsPerTurn = 500

    /// Posts a message to each consumer and reads pages.
    ///
    /// - Returns: The figures.
    /// - Throws: `StorageError`, or ``HarnessError`` when a page is not as expected.
    func run() async throws -> Report {
        let directory = try TemporaryDirectory()
        let fixture = try StoreFixture(path: directory.path("switchboard.sqlite"), consumers: consumers)
        try await fixture.populate(devices: consumers / 2)
        try await fixture.begin()
        let deliveries = try await fixture.finishedDeliveries()
        for first in stride(from: 0, to: consumers, by: Self.eventsPerTurn) {
            let count = min(Self.eventsPerTurn, consumers - first)
            _ = try await fixture.store.commit(fixture.turn(run: "unread", first: first, count: count, isOwned: false))
        }
        let read = { (id: DeliveryID) in
            guard try await fixture.store.delivery(brand: Self.brand, id: id) != nil else {
                throw HarnessError("a delivery is missing")
            }
        }
        // The smaller of before and after, so that a slow read with cold caches does not improve the ratios.
        let before = try await medianSeconds(deliveries, read)
        let first = try await page(after: nil, expected: 0, fixture)
        let full = try await page(after: ConsumerKey(Int64(consumers / 2)), expected: 50, fixture)
        let baseline = min(before, try await medianSeconds(deliveries, read))
        await fixture.store.close()
        var report = Report()
        let name = "\(consumers) consumers with unread messages"
        report.add(name, "read of a delivery by its number", baseline * 1e6, "us")
        report.add(name, "first page of 50, nobody is unreachable", first / baseline, "reads", atMost: ratioLimit)
        report.add(name, "page of 50 unreachable consumers", full / baseline, "reads", atMost: ratioLimit)
        return report
    }

    /// Returns the seconds of a page.
    private func page(after: ConsumerKey?, expected: Int, _ fixture: StoreFixture) async throws -> Double {
        let before = fixture.now.adding(seconds: 1)
        return try await medianSeconds([after]) { after in
            let page = try await fixture.store.unreachable(brand: Self.brand, before: before, after: after, limit: 50)
            guard page.items.count == expected, page.next != nil else {
                throw HarnessError("\(page.items.count) consumers are unreachable, not \(expected)")
            }
        }
    }
}
