import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import GatewayHTTP

@Suite("Bodies in the gzip format", .serialized, .timeLimit(.minutes(10)))
struct GzipTests {
    private static let events = "/v1/brands/acme/events"
    private static let event =
        #"{"id":"e-1","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello"}"#

    /// Unpacks a text that arrives in parts.
    private static func unpack(_ packed: [UInt8], parts: Int = .max) throws -> [[UInt8]] {
        let reader = try GzipReader()
        var (rest, pieces) = (packed[...], [[UInt8]]())
        while !rest.isEmpty {
            reader.add(ByteBuffer(bytes: rest.prefix(parts)))
            rest = rest.dropFirst(parts)
            while let piece = try reader.next() { pieces.append(Array(piece.readableBytesView)) }
        }
        try reader.finish()
        return pieces
    }

    /// Bytes that pack badly, and some that pack well.
    private static let text = (0..<300_000).map { (place: Int) -> UInt8 in
        UInt8(truncatingIfNeeded: place < 150_000 ? (place * place) >> 7 : 7)
    }

    @Test("a text is unpacked however it arrives, also one of several members", arguments: [1, 2, 1000, Int.max])
    func parts(size: Int) throws {
        let packed = gzip(Self.text) + gzip([]) + gzip([1, 2, 3])
        #expect(try Self.unpack(packed, parts: size).flatMap(\.self) == Self.text + [1, 2, 3])
    }

    @Test("a short text that unpacks to a long one does so in bounded pieces")
    func bomb() throws {
        let packed = gzip([UInt8](repeating: 0, count: 20 << 20))
        #expect(packed.count < 30_000)
        let pieces = try Self.unpack(packed)
        #expect(pieces.allSatisfy { (1...65_536).contains($0.count) } && pieces.reduce(0) { $0 + $1.count } == 20 << 20)
    }

    @Test("a text that is cut off, damaged, or of another format is rejected")
    func damaged() {
        let packed = gzip(Array(Self.event.utf8))
        for count in 0..<packed.count { #expect(throws: Problem.self) { try Self.unpack(Array(packed[..<count])) } }
        // The checksum, and the length.
        for place in packed.count - 8..<packed.count {
            var wrong = packed
            wrong[place] ^= 1
            #expect(throws: Problem.self) { try Self.unpack(wrong) }
        }
        for other in [packed + [0], packed + packed.dropLast(), [0x78, 0x9c] + packed, Array(Self.event.utf8)] {
            #expect(throws: Problem.self) { try Self.unpack(other) }
        }
    }

    private static func post(_ api: API, _ body: [UInt8], coding: String = "gzip") async throws -> Reply {
        try await api.call(
            .post,
            Self.events,
            bytes: body,
            headers: [.contentEncoding: coding, .contentLength: String(body.count)]
        )
    }

    @Test("events may be packed, in any form, and its memory is released; the limits are those of the unpacked text")
    func events() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(metrics: metrics) { api in
            try await api.makeBrand()
            let one = gzip(Array(Self.event.utf8))
            for coding in ["gzip", "GZIP", "x-gzip"] {
                let reply = try await Self.post(api, one, coding: coding)
                #expect(reply.status == 202, "\(coding): \(reply.text)")
            }
            let batch = gzip(Array("[\(Self.event),\(Self.event)]".utf8))
            #expect(try await Self.post(api, batch).status == 202)

            let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 17 << 20)
            let long = try await Self.post(api, gzip([UInt8(ascii: "[")] + spaces))
            long.expectProblem(413, "payload_too_large")
            #expect(long.text.contains("at most 16777216 bytes"))
            let longEvent = try await Self.post(api, gzip([UInt8(ascii: "{")] + spaces))
            longEvent.expectProblem(413, "payload_too_large")
            #expect(longEvent.text.contains("at most 1048576 bytes"))
            try await Self.post(api, one.dropLast()).expectProblem(400, "invalid_request")
            try await Self.post(api, Array(Self.event.utf8)).expectProblem(400, "invalid_request")
            #expect(metrics.value("switchboard_http_body_bytes") == 0)
        }
    }

    @Test("packed bytes that unpack to nothing have the limit of a batch")
    func emptyMembers() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let member = gzip([])
            let body = Array(repeatElement(member, count: (16 << 20) / member.count + 1).joined())
            // Without a length the body is not rejected for that.
            let reply = try await api.call(
                .post,
                Self.events,
                bytes: body,
                headers: [.contentEncoding: "gzip", .transferEncoding: "chunked"]
            )
            reply.expectProblem(413, "payload_too_large")
        }
    }
}
