import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import TestSupport
import Testing

@Suite("Apple devices and browsers that use FCM", .timeLimit(.minutes(10)))
struct PlatformCredentialTests {
    private static func device(_ name: String, _ platform: DevicePlatform, token: String) -> Device {
        var device = Device.android(name, token: token)
        device.platform = platform
        return device
    }

    private static let phones = [
        device("iphone-1", .ios, token: "bad01"), device("iphone-2", .ios, token: "bad02"),
    ]
    private static let android = device("android", .android, token: "900d1")
    private static let browser = device("browser", .web, token: "900d2")

    private func calls(_ fixture: SendingFixture) -> [LogLines.Line] {
        fixture.logs.all.filter { $0.level >= .notice && $0.metadata["lane.name"]?.contains("/android/") == true }
    }

    private func body(_ fixture: SendingFixture, _ device: Device) throws -> NSDictionary {
        let push = try #require(fixture.pushes(to: device).last)
        let body = try JSONSerialization.jsonObject(with: Data(push.body)) as? NSDictionary
        return try #require(body?["message"] as? NSDictionary)
    }

    @Test("each gets the part of its platform, which FCM accepts")
    func parts() async throws {
        try await SendingFixture.run { fixture in
            let devices = [Self.phones[0], Self.android, Self.browser]
            for device in devices { try await fixture.register(device) }
            try await fixture.post(to: devices)
            for device in devices {
                #expect(
                    try await fixture.outcomes(of: device, count: 1).map(\.disposition) == [.finished(.accepted, nil)]
                )
            }
            let phone = try body(fixture, Self.phones[0])
            #expect(phone.at("apns.payload.aps.badge") as? Int == 1)
            #expect(phone["android"] == nil && phone["webpush"] == nil)
            let browser = try body(fixture, Self.browser)
            #expect(browser.at("webpush.headers.Urgency") as? String == "high")
            #expect(browser["android"] == nil && browser["apns"] == nil)
            let android = try body(fixture, Self.android)
            #expect(android["android"] != nil && android["webpush"] == nil && android["apns"] == nil)
        }
    }

    @Test("a wrong APNs key in the Firebase project stops only its Apple devices, until it is corrected")
    func wrongKey() async throws {
        try await SendingFixture.run { fixture in
            for device in Self.phones + [Self.android, Self.browser] { try await fixture.register(device) }
            fixture.simulator.setRules([
                SimulatorRule(
                    match: .init(provider: .fcm, tokenPrefix: "bad0"),
                    action: RuleAction(status: 401, reason: "THIRD_PARTY_AUTH_ERROR")
                )
            ])
            let start = fixture.clock.now
            try await fixture.post(to: [Self.phones[0]])
            let refused = try await fixture.outcomes(of: Self.phones[0], count: 1)
            #expect(refused.map(\.disposition) == [.retry(due: start.adding(seconds: 30))])
            #expect(refused[0].response?.reason == "THIRD_PARTY_AUTH_ERROR")
            try await fixture.post(to: [Self.phones[1], Self.android, Self.browser])
            for device in [Self.android, Self.browser] {
                #expect(
                    try await fixture.outcomes(of: device, count: 1).map(\.disposition) == [.finished(.accepted, nil)]
                )
            }
            #expect(fixture.pushes(to: Self.phones[1]).isEmpty)

            // A probe push failed: the wait doubles.
            try await fixture.advance(seconds: 30)
            let tried = await fixture.store.outcomes.wait { all in all.count { $0.response?.status == 401 } == 2 }
            #expect(tried.last { $0.response?.status == 401 }?.disposition == .retry(due: start.adding(seconds: 90)))
            try await fixture.post(to: [Self.android])
            #expect(try await fixture.outcomes(of: Self.android, count: 2)[1].response?.sentAt == fixture.clock.now)

            fixture.simulator.setRules([])
            try await fixture.advance(seconds: 60)
            _ = await fixture.store.outcomes.wait { all in all.count { $0.response?.status == 200 } == 4 }
            try await fixture.advance(seconds: 5)
            for phone in Self.phones {
                let log = await fixture.store.outcomes.wait { all in all.count { $0.response?.status == 200 } == 5 }
                #expect(log.count { $0.response?.status == 200 } == 5)
                #expect(try await fixture.deliveries(to: phone).map(\.state) == [.accepted])
            }

            let lines = calls(fixture)
            #expect(lines.map(\.level) == [.error, .notice])
            #expect(lines.allSatisfy { $0.metadata["device.platform"] == "ios" })
            #expect(lines[0].metadata["provider.reason"] == "THIRD_PARTY_AUTH_ERROR")
        }
    }
}

extension NSDictionary {
    /// Returns the value at a path of names, separated by dots.
    fileprivate func at(_ path: String) -> Any? {
        path.split(separator: ".").reduce(self as Any?) { ($0 as? NSDictionary)?[String($1)] }
    }
}
