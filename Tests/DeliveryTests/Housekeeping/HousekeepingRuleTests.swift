import Delivery
import GatewayModel
import GatewayStorage
import Telemetry
import Testing

@Suite("The batch size and the work of housekeeping")
struct HousekeepingRuleTests {
    @Test(
        "a batch that took too long halves the next, a fast full one lets it grow, up to 2000",
        arguments: [
            (limit: 200, removed: 200, held: 1.0, next: 250),
            (200, 200, 2.0, 250),
            (200, 200, 2.1, 100),
            (200, 3, 45.0, 100),
            (200, 199, 1.0, 200),
            (200, 0, 0.1, 200),
            (1, 1, 500.0, 1),
            (1, 1, 1.0, 2),
            (3, 3, 1.0, 4),
            (1999, 1999, 1.0, 2000),
            (2000, 2000, 1.0, 2000),
        ]
    )
    func adapts(limit: Int, removed: Int, held: Double, next: Int) {
        var size = HousekeepingBatchSize(limit: limit)
        size.measured(removed: removed, heldMilliseconds: held)
        #expect(size.limit == next)
    }

    @Test("the first batch has 200 rows, and limits are clamped to the range")
    func bounds() {
        #expect(HousekeepingBatchSize().limit == 200)
        #expect(HousekeepingBatchSize(limit: 0).limit == 1)
        #expect(HousekeepingBatchSize(limit: 9999).limit == 2000)
    }

    @Test(
        "on a disk of any constant speed the batch duration settles below the limit",
        arguments: [0.001, 0.01, 0.1, 0.3, 1, 5, 24]
    )
    func settles(millisecondsPerRow: Double) {
        var size = HousekeepingBatchSize()
        for _ in 0..<20 {
            size.measured(removed: size.limit, heldMilliseconds: Double(size.limit) * millisecondsPerRow)
        }
        for _ in 0..<200 {
            let held = Double(size.limit) * millisecondsPerRow
            #expect(held <= max(3, millisecondsPerRow))
            size.measured(removed: size.limit, heldMilliseconds: held)
        }
    }

    private static func brand(_ id: String, days: Int64, hours: Int64) -> Brand {
        var settings = BrandSettings()
        settings.retentionDays = days
        settings.dedupeHours = hours
        return Brand(
            id: BrandID(trusted: id),
            name: id,
            settings: settings,
            createdAt: Timestamp(milliseconds: 1)
        )
    }

    @Test(
        "each brand's retention applies, up to the maximum of the instance",
        arguments: [(nil, [7, 90]), (30, [7, 30]), (3, [3, 3]), (3650, [7, 90])] as [(Int64?, [Int64])]
    )
    func retention(maximum: Int64?, days: [Int64]) throws {
        let now = Timestamp(milliseconds: 1_767_323_045_678)
        let brands = [Self.brand("a", days: 7, hours: 24), Self.brand("b", days: 90, hours: 168)]
        let works = HousekeepingPlan.works(brands: brands, maxRetentionDays: maximum, auditRetentionDays: 365, now: now)
        #expect(
            works.map(\.kind) == [
                .deletedBrands, .eventIDs, .sessions, .deliveries, .messages, .conversations, .inboxItems, .anonymous,
                .campaigns, .outbound, .audit, .deliveryLinks,
            ]
        )
        let expected = Dictionary(
            uniqueKeysWithValues: zip(brands.map(\.id), days.map { now.adding(seconds: -$0 * 86_400) })
        )
        guard case .eventIDs(let hours) = works[1].work, case .deliveries(let deliveries) = works[3].work,
            case .messages(let messages) = works[4].work,
            case .conversations(let conversations) = works[5].work, case .campaigns(let campaigns) = works[8].work,
            case .outbound(let outbound, let acknowledged) = works[9].work
        else {
            Issue.record("\(works)")
            return
        }
        #expect(hours == [brands[0].id: 24, brands[1].id: 168])
        #expect(deliveries == expected && messages == expected && outbound == expected)
        #expect(conversations == expected && campaigns == expected)
        #expect(acknowledged == now.adding(seconds: -72 * 3600))
    }
}
