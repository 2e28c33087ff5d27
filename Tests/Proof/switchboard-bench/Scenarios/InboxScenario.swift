import GatewayModel
import GatewayStorage
import ProcessHarness

/// The fetch of a part of a full inbox, compared with the read of one delivery by its number.
struct InboxScenario {
    /// The number of the customer's items, at most ``InboxItem/perConsumer``.
    var items: Int
    /// The limit of a fetch of 50 as a multiple of a read by number.
    var ratioLimit = 20.0

    private static let brand = BrandID(trusted: Installation.brand)
    private static let customer = ConsumerID(trusted: "consumer-0")

    /// Fills an inbox and reads it.
    ///
    /// - Returns: The figures.
    /// - Throws: `StorageError`, or ``HarnessError`` when items are missing.
    func run() async throws -> Report {
        let directory = try TemporaryDirectory()
        let fixture = try StoreFixture(path: directory.path("switchboard.sqlite"), consumers: 100)
        try await fixture.populate()
        try await fixture.begin()
        let store = fixture.store
        let deliveries = try await fixture.finishedDeliveries()
        try await fill(fixture)
        let read = { (id: DeliveryID) in
            guard try await store.delivery(brand: Self.brand, id: id) != nil else {
                throw HarnessError("a delivery is missing")
            }
        }
        // The smaller of before and after, so that a slow read with cold caches does not improve the ratios.
        let before = try await medianSeconds(deliveries, read)
        // As an app without a sync token fetches, and at most as many as it gets.
        let newest = try await fetch(50, of: .newest(before: nil), fixture)
        let most = try await fetch(500, of: .newest(before: nil), fixture)
        let middle = try await fetch(50, of: .newest(before: Int64(items / 2)), fixture)
        let baseline = min(before, try await medianSeconds(deliveries, read))
        await store.close()
        var report = Report()
        let name = "\(items) items in an inbox"
        report.add(name, "read of a delivery by its number", baseline * 1e6, "us")
        report.add(name, "fetch of the newest 50", newest / baseline, "reads", atMost: ratioLimit)
        report.add(name, "page of 50 from the middle", middle / baseline, "reads", atMost: ratioLimit)
        report.add(name, "fetch of the newest 500", most / baseline, "reads")
        return report
    }

    private func fill(_ fixture: StoreFixture) async throws {
        let now = fixture.now
        for number in 0..<items {
            let content =
                #"{"title":"Order A\#(number)","message":"It will be with you tomorrow between nine and eleven.","#
                + #""image":"https://shop.example/images/A\#(number).png","action":"app","#
                + #""url":"https://shop.example/orders/A\#(number)"}"#
            let item = InboxItem(
                id: InboxItemID(trusted: "item-\(number)"),
                kind: .push,
                content: JSONText(trusted: content),
                createdAt: now,
                expiresAt: now.adding(seconds: 30 * 86_400)
            )
            guard try await fixture.store.putInboxItem(brand: Self.brand, consumer: Self.customer, item) == .created
            else {
                throw HarnessError("an item was not stored")
            }
        }
    }

    /// Returns the seconds of a fetch, which looks up the customer first.
    private func fetch(_ count: Int, of range: InboxRange, _ fixture: StoreFixture) async throws -> Double {
        try await medianSeconds([Self.customer]) { customer in
            let found = try await fixture.store.customer(brand: Self.brand, id: customer)
            guard let id = found?.id,
                case .page(let page) = try await fixture.store.inbox(
                    brand: Self.brand,
                    consumer: id,
                    range,
                    now: fixture.now,
                    limit: count
                ), page.items.count == count
            else { throw HarnessError("items are missing") }
        }
    }
}
