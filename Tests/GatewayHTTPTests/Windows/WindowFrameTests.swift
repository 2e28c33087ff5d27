import HTTPTypes
import HummingbirdTesting
import Testing

@testable import GatewayHTTP

@Suite("A window's frames", .timeLimit(.minutes(10)))
struct WindowFrameTests {
    /// Bytes that end a window, and the close code.
    struct Fault: Sendable, CustomStringConvertible {
        var description: String
        var bytes: [UInt8]
        var close: String
    }

    /// Messages that ask for another consumer's data, or are impossible.
    struct Claim: Sendable, CustomStringConvertible {
        var description: String
        var says: [String]
        /// The code and the `ref` of the error in the response; nil for no response.
        var error: String?
        /// The number of unread messages afterwards, of two.
        var unread = 2
    }

    static let claims = [
        Claim(
            description: "an ack in another's conversation",
            says: [#"{"type":"ack","conversation":"c-2","upToSequence":1}"#],
            error: "not_found ack"
        ),
        Claim(
            description: "an ack in nobody's conversation",
            says: [#"{"type":"ack","conversation":"c-9","upToSequence":1}"#],
            error: "not_found ack"
        ),
        Claim(
            description: "an ack for what was never sent",
            says: [#"{"type":"ack","conversation":"c-1","upToSequence":9223372036854775807}"#],
            unread: 0
        ),
        Claim(
            description: "an ack that goes back",
            says: [
                #"{"type":"ack","conversation":"c-1","upToSequence":1}"#,
                #"{"type":"ack","conversation":"c-1","upToSequence":0}"#,
            ],
            unread: 1
        ),
        Claim(
            description: "a message to another's conversation",
            says: [#"{"type":"send","clientId":"k-1","conversation":"c-2","text":"x"}"#],
            error: "not_found k-1"
        ),
        Claim(
            description: "typing in another's conversation",
            says: [#"{"type":"typing","conversation":"c-2"}"#],
            error: "not_found typing"
        ),
        Claim(
            description: "resuming another's conversation",
            says: [#"{"type":"resume","conversations":[{"id":"c-2","afterSequence":0}]}"#],
            error: "not_found resume"
        ),
        Claim(
            description: "resuming twice",
            says: [#"{"type":"resume","conversations":[]}"#, #"{"type":"resume","conversations":[]}"#],
            error: "conflict resume"
        ),
    ]

    private static func text(_ text: String, masked: Bool = true) -> [UInt8] {
        WindowClient.frame(1, Array(text.utf8), masked: masked)
    }

    static let faults = [
        Fault(description: "no JSON", bytes: text("hello"), close: "4400 invalid_request: not JSON"),
        Fault(description: "an array", bytes: text("[]"), close: "4400 invalid_request: not an object"),
        Fault(description: "nothing", bytes: text(""), close: "4400 invalid_request: not JSON"),
        Fault(
            description: "a member that appears twice",
            bytes: text(#"{"type":"typing","type":"ack"}"#),
            close: "4400 invalid_request: a member appears twice"
        ),
        Fault(
            description: "no UTF-8",
            bytes: WindowClient.frame(1, [0x7B, 0xFF]),
            close: "4400 invalid_request: not JSON"
        ),
        Fault(
            description: "nested too deep",
            bytes: text(String(repeating: "[", count: 30_000)),
            close: "4400 invalid_request: not JSON"
        ),
        Fault(
            description: "binary",
            bytes: WindowClient.frame(2, Array("{}".utf8)),
            close: "4400 invalid_request: binary"
        ),
        Fault(description: "not masked", bytes: text("{}", masked: false), close: "1002 protocol_error"),
        Fault(description: "a reserved bit", bytes: [0xC1] + text("{}").dropFirst(), close: "1002 protocol_error"),
        Fault(description: "an unknown opcode", bytes: WindowClient.frame(3, []), close: "1002 protocol_error"),
        Fault(
            description: "a continuation of nothing",
            bytes: WindowClient.frame(0, Array("{}".utf8)),
            close: "1002 protocol_error"
        ),
        Fault(
            description: "a message within another",
            bytes: WindowClient.frame(1, Array("{".utf8), fin: false) + text("{}"),
            close: "1002 protocol_error"
        ),
        Fault(
            description: "a ping in fragments",
            bytes: WindowClient.frame(9, [], fin: false),
            close: "1002 protocol_error"
        ),
        Fault(
            description: "a ping of 126 bytes",
            bytes: WindowClient.frame(9, [UInt8](repeating: 0, count: 126)),
            close: "1002 protocol_error"
        ),
        Fault(description: "a close code of one byte", bytes: WindowClient.frame(8, [3]), close: "1002 protocol_error"),
        Fault(
            description: "a reason to close that is no UTF-8",
            bytes: WindowClient.frame(8, [0x03, 0xE8, 0xFF]),
            close: "1002 protocol_error"
        ),
        Fault(
            description: "text behind its own close",
            bytes: WindowClient.frame(8, [0x03, 0xE8])
                + text(#"{"type":"ack","conversation":"c-1","upToSequence":1}"#),
            close: "1000 "
        ),
        Fault(
            description: "a continuation that is not masked",
            bytes: WindowClient.frame(1, Array("{".utf8), fin: false)
                + WindowClient.frame(0, Array("}".utf8), masked: false),
            close: "1002 protocol_error"
        ),
        Fault(
            description: "a word that is no UTF-8",
            bytes: WindowClient.frame(1, Array(#"{"type":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)),
            close: "4400 invalid_request: not JSON"
        ),
        Fault(
            description: "a close code that is reserved",
            bytes: WindowClient.frame(8, [0x03, 0xED]),
            close: "1002 protocol_error"
        ),
        Fault(
            description: "one byte too many",
            bytes: WindowClient.frame(1, [UInt8](repeating: 0x20, count: 65_537)),
            close: "1009 payload_too_large"
        ),
        Fault(
            description: "a length of 2^63",
            bytes: [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0],
            close: "1009 payload_too_large"
        ),
        Fault(
            description: "one byte too many in fragments",
            bytes: WindowClient.frame(1, [UInt8](repeating: 0x20, count: 40_000), fin: false)
                + WindowClient.frame(0, [UInt8](repeating: 0x20, count: 25_537)),
            close: "1009 payload_too_large"
        ),
        Fault(
            description: "1000 at once",
            bytes: (0..<1000).flatMap { _ in text("{}") },
            close: "1008 rate_limited"
        ),
    ]

    @Test("that are invalid close the window with their code, and no other window", arguments: faults)
    func closed(_ fault: Fault) async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let (port, session) = (try #require(api.client.port), try await api.makeSession())
            for number in 1...2 { try await api.post("m-\(number)") }
            let other = try await Bystander(api)
            let second = try await WindowClient(port: port, as: session)
            _ = try await second.receive()
            let window = try await WindowClient(port: port, as: session)
            _ = try await window.receive()
            window.send(fault.bytes)
            // Later data is not read.
            window.say(#"{"type":"ack","conversation":"c-1","upToSequence":1}"#)
            #expect(await window.end() == fault.close)
            window.send(WindowClient.frame(8, []))
            #expect(await window.next() == nil)
            let counts = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(counts["unread"]?.int == 2)
            second.send(WindowClient.frame(9, [7]))
            #expect(await second.next() == WindowClient.Frame(opcode: 10, payload: [7]))
            try await other.noticedNothing(api)
        }
    }

    @Test("that claim something untrue are rejected or ignored, and change nothing for others", arguments: claims)
    func refused(_ claim: Claim) async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            for number in 1...2 { try await api.post("m-\(number)") }
            let other = try await Bystander(api)
            let window = try await WindowClient(port: try #require(api.client.port), as: session)
            _ = try await window.receive()
            for text in claim.says { window.say(text) }
            // The response comes after those to earlier messages.
            window.say(#"{"type":"reauthenticate","sessionToken":7}"#)
            window.say(#"{"type":"ack","conversation":"c-10","upToSequence":1}"#)
            var errors: [String] = []
            while errors.last != "not_found ack" || errors.count < (claim.error == nil ? 2 : 3) {
                let response = try await window.receive()
                errors.append("\(response["code"]?.string ?? "") \(response["ref"]?.string ?? "")")
            }
            let expected = (claim.error.map { [$0] } ?? []) + ["invalid_request reauthenticate", "not_found ack"]
            #expect(errors.sorted() == expected.sorted())
            let counts = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(counts["unread"]?.int == claim.unread)
            try await other.noticedNothing(api)
        }
    }

    /// Another consumer with an open window and a message, which must not be affected.
    struct Bystander {
        private let window: WindowClient
        private let session: Credential

        init(_ api: API) async throws {
            try await api.post("x-1", consumer: "u-2", conversation: "c-2")
            session = try await api.makeSession("u-2")
            window = try await WindowClient(port: try #require(api.client.port), as: session)
            _ = try await window.receive()
        }

        func noticedNothing(_ api: API) async throws {
            window.send(WindowClient.frame(9, [7]))
            #expect(await window.next() == WindowClient.Frame(opcode: 10, payload: [7]))
            let counts = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(counts["unread"]?.int == 1 && counts["conversations"]?[0]?["lastSequence"]?.int == 1)
        }
    }

    @Test("that are objects with an unknown or invalid content get an error")
    func wrongMembers() async throws {
        let wrong: [(String, String?)] = [
            (#"{}"#, nil),
            (#"{"type":7}"#, nil),
            (#"{"type":"hello"}"#, "hello"),
            (#"{"type":"ack","conversation":"c-1"}"#, "ack"),
            (#"{"type":"ack","conversation":"","upToSequence":1}"#, "ack"),
            (#"{"type":"ack","conversation":"c-1","upToSequence":-1}"#, "ack"),
            (#"{"type":"ack","conversation":"c-1","upToSequence":1.5}"#, "ack"),
            (#"{"type":"resume","conversations":{}}"#, "resume"),
            (#"{"type":"resume","conversations":[{"id":"c-1"}]}"#, "resume"),
            (#"{"type":"send","clientId":"k-1","conversation":"c-1"}"#, "k-1"),
            (#"{"type":"send","clientId":"k-1","conversation":"c-1","text":""}"#, "k-1"),
            (#"{"type":"send","clientId":"k-1","conversation":"c-1","text":"x","data":[]}"#, "k-1"),
            (#"{"type":"typing"}"#, "typing"),
            (#"{"type":"reauthenticate"}"#, "reauthenticate"),
        ]
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let window = try await WindowClient(
                port: try #require(api.client.port),
                as: try await api.makeSession()
            )
            _ = try await window.receive()
            for (text, ref) in wrong {
                window.say(text)
                let response = try await window.receive()
                #expect(response["type"]?.string == "error", "\(text)")
                #expect(response["code"]?.string == "invalid_request", "\(text)")
                #expect(response["ref"]?.string == ref, "\(text)")
            }
            window.say(#"{"type":"ack","conversation":"c-9","upToSequence":1}"#)
            #expect(try await window.receive()["code"]?.string == "not_found")
        }
    }

    @Test("are assembled from fragments, with pings between them, up to the limit")
    func fragments() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let window = try await WindowClient(
                port: try #require(api.client.port),
                as: try await api.makeSession()
            )
            _ = try await window.receive()
            let text = Array(#"{"type":"hello"}"#.utf8)
            let padding = [UInt8](repeating: 0x20, count: 65_536 - text.count)
            window.send(WindowClient.frame(1, Array(text[..<5]), fin: false))
            window.send(WindowClient.frame(9, [1, 2]))
            window.send(WindowClient.frame(0, Array(text[5...]), fin: false))
            window.send(WindowClient.frame(0, padding))
            #expect(await window.next() == WindowClient.Frame(opcode: 10, payload: [1, 2]))
            #expect(try await window.receive()["ref"]?.string == "hello")
            window.send(WindowClient.frame(1, padding + text))
            #expect(try await window.receive()["ref"]?.string == "hello")
            // Byte by byte, also in the middle of a character, and with empty fragments.
            let long = Array(#"{"type":"héllo"}"#.utf8)
            window.send(WindowClient.frame(1, [], fin: false))
            for byte in long { window.send(WindowClient.frame(0, [byte], fin: false)) }
            window.send(WindowClient.frame(0, []))
            #expect(try await window.receive()["ref"]?.string == "héllo")
        }
    }

    @Test("that come with the request are read when the window is open")
    func early() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let window = try await WindowClient(
                port: try #require(api.client.port),
                as: try await api.makeSession(),
                with: WindowClient.frame(1, Array(#"{"type":"hello"}"#.utf8))
            )
            #expect(try await window.receive()["type"]?.string == "ready")
            #expect(try await window.receive()["ref"]?.string == "hello")
        }
    }
}
