import GatewayModel
import PushProviders
import TestSupport
import Testing

@Suite("Certificate expiry")
struct CertificateExpiryTests {
    private static let day: Int64 = 86_400
    private let clock = TestClock()

    private func subject(_ name: String = "a", days: Int64) -> CertificateExpiryWatch.Subject {
        CertificateExpiryWatch.Subject(
            brand: TestMessages.brand.id,
            app: TestMessages.appID,
            certificate: APNsCertificateFacts(
                fingerprint: name,
                commonName: "",
                topics: [],
                environments: [],
                expiresAt: TestMessages.now.adding(seconds: days * Self.day)
            )
        )
    }

    @Test("each step is reported exactly once on its day, however often it is checked")
    func steps() {
        var watch = CertificateExpiryWatch()
        let certificate = subject(days: 31)
        var reported: [Int64: [CertificateExpiry]] = [:]
        // Every six hours from 31 days ahead to 2 days past the end.
        for hours in stride(from: Int64(0), through: 33 * 24, by: 6) {
            let now = TestMessages.now.adding(seconds: hours * 3600)
            let left = 31 * 24 - hours
            for notice in watch.check([certificate], now: now) { reported[left, default: []].append(notice.expiry) }
            #expect(watch.check([certificate], now: now).isEmpty)
        }
        #expect(
            reported == [
                30 * 24: [.withinThirtyDays], 7 * 24: [.withinSevenDays], 24: [.withinOneDay], 0: [.expired],
            ]
        )
    }

    @Test("a late check reports only the latest step, for each certificate separately")
    func late() {
        var watch = CertificateExpiryWatch()
        let certificates = [subject("a", days: 5), subject("b", days: 40), subject("c", days: -1)]
        let first = watch.check(certificates, now: clock.now)
        #expect(first.map(\.subject.fingerprint) == ["a", "c"])
        #expect(first.map(\.expiry) == [.withinSevenDays, .expired])
        #expect(watch.check(certificates, now: clock.now).isEmpty)
    }

    @Test("a clock that is set back repeats nothing, and a renewed certificate is reported again")
    func clocks() {
        var watch = CertificateExpiryWatch()
        let old = subject("old", days: 6)
        #expect(watch.check([old], now: clock.now).count == 1)
        #expect(watch.check([old], now: clock.now.adding(seconds: -30 * Self.day)).isEmpty)
        #expect(watch.check([old], now: clock.now).isEmpty)
        #expect(watch.check([subject("new", days: 6)], now: clock.now).count == 1)
        #expect(watch.check([], now: clock.now).isEmpty)
    }
}
