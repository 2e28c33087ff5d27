import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Pushes and counts of messages", .timeLimit(.minutes(10)))
struct MessageCountTests {
    @Test("R102: a message in an open conversation is pushed once to each registration of its consumer")
    func registrations() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.post("m-0")
            for (device, consumer) in [("d-1", "u-1"), ("d-2", "u-1"), ("d-3", "u-1"), ("d-4", "u-2")] {
                let session = try await api.makeSession(consumer, device: device)
                let token: String = "aabbcc0" + device.suffix(1)
                try #require(try await api.register(device, as: session, token: token).status == 201)
            }
            #expect(try await api.post("m-1")["deliveries"]?.int == 3)
            let list = try await api.call(.get, "/v1/brands/acme/deliveries")
            let devices = (list["items"]?.items ?? []).compactMap { $0["deviceId"]?.string }
            #expect(devices.sorted() == ["d-1", "d-2", "d-3"])
        }
    }

    @Test("R180: gaps and disorder of a back-end's numbers count each message once, and lower no badge")
    func disorder() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession("u-1", device: "d-1")
            try #require(try await api.register("d-1", as: session).status == 201)
            for (place, number) in [7, 3, 9, 3].enumerated() {
                let result = try await api.post("m-\(place)", more: #","sourceSequence":\#(number)"#)
                #expect(result["sequence"]?.int == place + 1 && result["unread"]?.int == place + 1)
            }
            #expect(try await api.post("m-1", more: #","sourceSequence":3"#)["status"]?.string == "duplicate")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 4)
            let sent = try await api.until {
                try await api.call(.get, "/v1/brands/acme/deliveries?state=accepted")
            } holds: {
                $0["items"]?.items.count == 4
            }
            // Newest first.
            let badges = (sent["items"]?.items ?? []).compactMap { $0["badge"]?.int }
            #expect(badges == badges.sorted(by: >) && badges.first == 4 && badges.count == 4)
        }
    }
}
