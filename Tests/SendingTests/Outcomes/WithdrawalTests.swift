import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import PushSimulator
import Testing

@Suite("After a read elsewhere", .timeLimit(.minutes(10)))
struct WithdrawalTests {
    private static let phone = Device.ios("phone", token: String(repeating: "a1", count: 32))

    private static func second(_ pushType: PushType) -> Device {
        var device = Device.of(pushType, "tablet", token: String(repeating: "b2", count: 32))
        device.owner = "phone"
        return device
    }

    @Test(
        "the provider accepts the badge push with the read marks, and the reading device gets nothing",
        arguments: [(PushType.apns, false), (.apns, true), (.fcm, false)]
    )
    func reported(_ pushType: PushType, isWaking: Bool) async throws {
        let apps: (PushSimulator) throws -> [String: AppSettings] = { simulator in
            var ios = Apps.ios(simulator)
            ios.apns?.wakesOnRead = isWaking
            return ["ios": ios, "android": Apps.android(simulator)]
        }
        try await SendingFixture.run(apps: apps) { fixture in
            let (phone, other) = (Self.phone, Self.second(pushType))
            try await fixture.register(phone)
            try await fixture.register(other)
            try await fixture.post(to: [phone, other])
            _ = try await fixture.outcomes(of: phone, count: 2)
            _ = try await fixture.outcomes(of: other, count: 2)
            // Both messages are of one consumer, in two conversations.
            for (number, conversation) in ["c-phone", "c-tablet"].enumerated() {
                let read = ReadRequest(
                    brand: SendingFixture.brand.id,
                    consumer: phone.consumer,
                    conversation: ConversationID(trusted: conversation),
                    target: .sequence(1),
                    device: DeviceID(trusted: phone.name)
                )
                _ = try await fixture.service.perform(.read(read))
                let outcome = try #require(try await fixture.outcomes(of: other, count: 3 + number).last?.response)
                #expect(outcome.status == 200 && outcome.badge == Int64(1 - number))
                try await fixture.advance(seconds: 1)
            }
            #expect(fixture.pushes(to: phone).count == 2)
            let bodies = try fixture.pushes(to: other).map { push in
                try #require(try JSONSerialization.jsonObject(with: Data(push.body)) as? [String: Any])
            }
            let read = try bodies.dropFirst(2).map { try Self.read($0, pushType) }
            #expect(read == [["c-phone 1"], ["c-tablet 1", "c-phone 1"]])
            if pushType == .apns {
                let aps = bodies.last?["aps"] as? NSDictionary
                #expect(aps == (isWaking ? ["badge": 0, "content-available": 1] : ["badge": 0]))
            }
        }
    }

    private static func read(_ body: [String: Any], _ pushType: PushType) throws -> [String] {
        var list = body["read"]
        if pushType == .fcm {
            let data = (body["message"] as? [String: Any])?["data"] as? [String: String]
            list = try JSONSerialization.jsonObject(with: Data(try #require(data?["read"]).utf8))
        }
        return try #require(list as? [[String: Any]]).map { mark in
            #expect((mark["messageIds"] as? [String])?.count == 1)
            return "\(mark["conversation"] as? String ?? "") \(mark["upToSequence"] as? Int ?? 0)"
        }
    }
}
