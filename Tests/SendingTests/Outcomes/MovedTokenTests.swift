import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import PushSimulator
import Testing

@Suite("The devices of a consumer", .timeLimit(.minutes(10)))
struct MovedTokenTests {
    @Test("show the same badge, and one whose token another consumer registers gets no more pushes of the first")
    func moves() async throws {
        try await SendingFixture.run { fixture in
            let phone = Device.ios("phone", token: String(repeating: "a1", count: 32))
            var tablet = Device.android("tablet", token: String(repeating: "b2", count: 32))
            tablet.owner = "phone"
            var other = Device.android("other", token: tablet.token)
            other.owner = "other"
            try await fixture.register(phone)
            try await fixture.register(tablet)
            for count in 1...2 {
                try await fixture.post(to: [phone])
                for device in [phone, tablet] {
                    let badges = try await fixture.outcomes(of: device, count: count).map(\.response?.badge)
                    #expect(badges == (1...count).map { Int64($0) })
                }
            }
            try await fixture.register(other)
            #expect(try await fixture.registration(of: tablet) == nil)
            try await fixture.post(to: [phone])
            _ = try await fixture.outcomes(of: phone, count: 3)
            let read = ReadRequest(
                brand: SendingFixture.brand.id,
                consumer: phone.consumer,
                conversation: ConversationID(trusted: "c-phone"),
                target: .sequence(3),
                device: DeviceID(trusted: phone.name)
            )
            _ = try await fixture.service.perform(.read(read))
            try await fixture.post(to: [other])
            #expect(try await fixture.outcomes(of: other, count: 1).map(\.response?.badge) == [1])
            let conversations = fixture.pushes(to: other).map { push in
                push.json?["message"]?["data"]?["conversationId"]?.stringValue
            }
            #expect(conversations == ["c-phone", "c-phone", "c-other"])
        }
    }
}
