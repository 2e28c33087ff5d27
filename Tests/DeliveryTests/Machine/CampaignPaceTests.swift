import Delivery
import GatewayModel
import Testing

@Suite("The pace of a campaign")
struct CampaignPaceTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    @Test("a campaign that had no pace for a while is not held up for what it sent then")
    func paceSetAgain() {
        var pace = CampaignPace(perSecond: 10, now: Self.start)
        pace.take(100_000)
        #expect(pace.nextPush(perSecond: 10, now: Self.start) == Self.start.adding(milliseconds: 100))
    }
}
