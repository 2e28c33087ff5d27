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
        try await SendingSite.run { site in
            let phone = Device.ios("phone", token: String(repeating: "a1", count: 32))
            var tablet = Device.android("tablet", token: String(repeating: "b2", count: 32))
            tablet.owner = "phone"
            var other = Device.android("other", token: tablet.token)
            other.owner = "other"
            try await site.register(phone)
            try await site.register(tablet)
            for count in 1...2 {
                try await site.post(to: [phone])
                for device in [phone, tablet] {
                    let badges = try await site.outcomes(of: device, count: count).map(\.answer?.badge)
                    #expect(badges == (1...count).map { Int64($0) })
                }
            }
            try await site.register(other)
            #expect(try await site.registration(of: tablet) == nil)
            try await site.post(to: [phone])
            _ = try await site.outcomes(of: phone, count: 3)
            let read = ReadRequest(
                brand: SendingSite.brand.id,
                consumer: phone.consumer,
                conversation: ConversationID(trusted: "c-phone"),
                target: .sequence(3),
                device: DeviceID(trusted: phone.name)
            )
            _ = try await site.service.perform(.read(read))
            try await site.post(to: [other])
            #expect(try await site.outcomes(of: other, count: 1).map(\.answer?.badge) == [1])
            let conversations = site.pushes(to: other).map { push in
                push.json?["message"]?["data"]?["conversationId"]?.stringValue
            }
            #expect(conversations == ["c-phone", "c-phone", "c-other"])
        }
    }
}
