import HTTPTypes
import HummingbirdTesting
import Testing

@testable import GatewayHTTP

/// Two gateways on the same data: the end of a session on one closes its windows on the other.
@Suite("A messaging window on one gateway, and the end of its session on another", .timeLimit(.minutes(10)))
struct WindowNodesTests {
    /// The event that closes a window.
    enum Ending: CaseIterable {
        case remote, remoteOfDevice, logout, otherDevice, merge, erasure, revocation, deletion

        var close: String {
            switch self {
            case .revocation, .deletion: "4403 token_invalid: revoked"
            default: "4409 logged_out"
            }
        }

        /// The number of other windows that stay open.
        var survivors: Int {
            switch self {
            case .remoteOfDevice, .logout, .revocation: 2
            case .remote, .otherDevice, .merge, .erasure: 1
            case .deletion: 0
            }
        }
    }

    private static func perform(_ ending: Ending, at api: API, session: Credential, account: String) async throws {
        let brand = "/v1/brands/acme"
        switch ending {
        case .remote: #expect(try await api.call(.delete, "\(brand)/consumers/u-1/sessions").status == 204)
        case .remoteOfDevice:
            #expect(try await api.call(.delete, "\(brand)/consumers/u-1/sessions?deviceId=d-1").status == 204)
        case .logout: #expect(try await api.call(.delete, "\(brand)/sessions/current", as: session).status == 204)
        case .otherDevice: _ = try await api.makeSession(device: "d-2")
        case .merge:
            let merge = try await api.call(.patch, "\(brand)/consumers/u-2", #"{"mergeFrom":"u-1"}"#)
            #expect(merge.status == 200)
        case .erasure: #expect(try await api.call(.delete, "\(brand)/consumers/u-1").status == 204)
        case .revocation: #expect(try await api.call(.delete, "\(brand)/credentials/\(account)").status == 204)
        case .deletion: #expect(try await api.call(.delete, brand).status == 204)
        }
    }

    @Test("closes with the same reason, and its token is rejected from then on", arguments: Ending.allCases)
    func ends(ending: Ending) async throws {
        try await TestGateway.run(.live) { first in
            try await first.makeBrand(settings: ending == .otherDevice ? #"{"singleDevice":true}"# : "{}")
            _ = try await first.makeSession("u-2")
            let account = try await first.makeAccount("acme", "sessions:mint")
            guard case .basic(let id, _) = account else { throw TestFailure("no account") }
            try await TestGateway.runAnother(on: first.data) { second in
                func mint(_ consumer: String) async throws -> Credential {
                    let path = "/v1/brands/acme/consumers/\(consumer)/sessions"
                    let minted = try await first.call(.post, path, as: account, #"{"deviceId":"d-1"}"#)
                    return .bearer(try #require(minted["sessionToken"]?.string))
                }
                let session = try await mint("u-1")
                // Another consumer's window, and the consumer's own on another device.
                let bystanders = [
                    try await second.makeSession("u-3"),
                    ending == .otherDevice ? nil : try await second.makeSession(device: "d-2"),
                ]
                // Both gateways have it in memory.
                for api in [first, second] {
                    #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200)
                }
                let port = try #require(second.client.port)
                let window = try await WindowClient(port: port, as: session)
                #expect(try await window.receive()["type"]?.string == "ready")
                var others: [WindowClient] = []
                for bystander in bystanders.compactMap(\.self) {
                    let other = try await WindowClient(port: port, as: bystander)
                    #expect(try await other.receive()["type"]?.string == "ready")
                    others.append(other)
                }

                try await Self.perform(ending, at: first, session: session, account: id)
                #expect(await window.end() == ending.close)
                let refused = try await second.call(.get, "/v1/brands/acme/unread", as: session)
                #expect(refused.status == 401)
                // No other window is closed.
                for other in others.prefix(ending.survivors) {
                    other.send(WindowClient.frame(9, [1]))
                    #expect(await other.next() == WindowClient.Frame(opcode: 10, payload: [1]))
                }
            }
        }
    }
}
