import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Settings of quiet hours and summaries", .timeLimit(.minutes(10)))
struct QuietHoursRouteTests {
    @Test("they are returned as they were set, replaced as a whole, and removed by null")
    func settings() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let hours = #"{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin","mode":"silent"}"#
            let made = try await api.call(
                .patch,
                "/v1/brands/acme",
                #"{"settings":{"quietHours":\#(hours),"summaryThreshold":5}}"#
            )
            #expect(made.status == 200, "\(made.text)")
            #expect(try made["settings"]?["quietHours"] == JSON(hours))
            #expect(made["settings"]?["summaryThreshold"]?.int == 5)
            let again = try await api.call(
                .patch,
                "/v1/brands/acme",
                #"{"settings":{"quietHours":{"from":"00:00","to":"23:59","timeZone":"UTC"}}}"#
            )
            #expect(again["settings"]?["quietHours"]?["mode"]?.string == "held")
            #expect(again["settings"]?["summaryThreshold"]?.int == 5)
            let none = try await api.call(
                .patch,
                "/v1/brands/acme",
                #"{"settings":{"quietHours":null,"summaryThreshold":null}}"#
            )
            #expect(none["settings"]?["quietHours"] == nil && none["settings"]?["summaryThreshold"] == nil)
        }
    }
}
