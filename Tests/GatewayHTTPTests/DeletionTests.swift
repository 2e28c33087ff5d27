import GatewayModel
import GatewayStorage
import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Deletions take effect at once, with pending deliveries", .timeLimit(.minutes(10)))
struct DeletionTests {
    /// A lane without a credential keeps its deliveries.
    private static let without =
        #"{"platform":"ios","fcm":{"serviceAccount":{"project_id":"p","private_key_id":"k","private_key":"x","#
        + #""client_email":"e","token_uri":"https://t.example"}}}"#

    @Test("an app's devices are deleted, its pending deliveries are never sent, and its sessions stay the consumers'")
    func app() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            #expect(try await api.register("d-1", as: session).status == 201)
            #expect(try await api.call(.put, "/v1/brands/acme/apps/ios", Self.without).status == 200)
            #expect(try await api.post("e-1")["deliveries"]?.int == 1)
            let deliveries = "/v1/brands/acme/deliveries"
            #expect(try await api.call(.get, deliveries + "?state=pending").json()["items"]?.items.count == 1)
            #expect(try await api.call(.delete, "/v1/brands/acme/apps/ios").status == 204)
            let path = "/v1/brands/acme/apps/ios/devices/d-1"
            try await api.call(.get, path, as: session).expectProblem(404, "not_found")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 1)
            #expect(try await api.post("e-2")["deliveries"]?.int == 0)
            // The same id again is a new app: it does not send the deliveries of the old one.
            let again = try await api.call(
                .put,
                "/v1/brands/acme/apps/ios",
                #"{"platform":"ios","apns":\#(API.apns)}"#
            )
            #expect(again.status == 201)
            try await api.call(.get, path, as: session).expectProblem(404, "not_found")
            let states = try await api.call(.get, deliveries).json()["items"]?.items.map { $0["state"]?.string }
            #expect(states == ["pending"])
            // Housekeeping has not run yet.
            let housekeeping = HousekeepingBatch(work: .deletedApps, now: Timestamp(milliseconds: 1), limit: 100)
            #expect(try await api.store.runHousekeeping(housekeeping).removed == 2)
            let items = try await api.call(.get, deliveries).json()["items"]?.items ?? []
            #expect(items.map { $0["state"]?.string } == ["cancelled"])
            #expect(items.first?["suppressedBy"]?.string == "unregistered" && items.first?["app"]?.string == "ios")
        }
    }

    @Test("a brand's sessions, accounts and deliveries are gone before the 204, also for a new brand of the same id")
    func brand() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            let account = try await api.makeAccount("acme", "brand:admin")
            #expect(try await api.register("d-1", as: session).status == 201)
            #expect(try await api.call(.put, "/v1/brands/acme/apps/ios", Self.without).status == 200)
            try await api.post("e-1")
            // Its own administrator may not.
            try await api.call(.delete, "/v1/brands/acme", as: account).expectProblem(403, "forbidden")
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            try await api.call(.delete, "/v1/brands/acme").expectProblem(404, "not_found")
            func isGone() async throws {
                let asDevice = try await api.call(.get, "/v1/brands/acme/unread", as: session)
                #expect(asDevice.status == 401)
                try await api.call(.get, "/v1/brands/acme", as: account).expectProblem(401, "unauthorized")
            }
            try await isGone()
            try await api.call(.get, "/v1/brands/acme/deliveries").expectProblem(404, "not_found")
            try await api.makeBrand()
            try await isGone()
            #expect(try await api.call(.get, "/v1/brands/acme/deliveries").json()["items"]?.items.isEmpty == true)
            #expect(try await api.post("e-1")["status"]?.string == "accepted", "the event's id is deleted too")
        }
    }
}
