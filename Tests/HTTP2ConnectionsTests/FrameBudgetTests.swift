import NIOCore
import TestSupport
import Testing

@testable import HTTP2Connections

@Suite("The budget of a client's frames")
struct FrameBudgetTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private static func budget(_ frames: [HTTP2Frame], pieces: Int = .max) -> FrameBudget {
        var budget = FrameBudget(now: start)
        var rest = (HTTP2Frame.opening + frames.flatMap(\.bytes))[...]
        while !rest.isEmpty {
            Array(rest.prefix(pieces)).withUnsafeBytes { budget.count($0, now: start) }
            rest = rest.dropFirst(pieces)
        }
        return budget
    }

    private static func repeated(_ frame: HTTP2Frame, _ count: Int) -> [HTTP2Frame] {
        Array(repeating: frame, count: count)
    }

    @Test(
        "a flood exceeds it, some frames of the kind do not, in pieces of any size",
        arguments: [
            HTTP2Frame(.reset, stream: 1, [0, 0, 0, 8]), HTTP2Frame(.settings),
            HTTP2Frame(.ping, Array(repeating: 0, count: 8)),
            HTTP2Frame(.priority, stream: 1, [0, 0, 0, 0, 0]), HTTP2Frame(.windowUpdate, [0, 0, 0, 1]),
            HTTP2Frame(.data, stream: 1), HTTP2Frame(.data, stream: 1, [1]), HTTP2Frame(type: 0x42),
            HTTP2Frame(.goAway),
        ],
        [1, 7, .max]
    )
    func flood(frame: HTTP2Frame, pieces: Int) {
        #expect(!Self.budget(Self.repeated(frame, 50), pieces: pieces).isExceeded)
        #expect(Self.budget(Self.repeated(frame, 1001), pieces: pieces).isExceeded)
    }

    @Test("requests and the pieces of long bodies cost nothing")
    func requests() {
        let piece = HTTP2Frame(.data, stream: 1, Array(repeating: 1, count: 16))
        let frames = [HTTP2Frame.request(1), piece, HTTP2Frame(.data, flags: HTTP2Frame.end, stream: 1)]
        #expect(!Self.budget(Array(repeating: frames, count: 2000).flatMap(\.self)).isExceeded)
    }

    @Test("a header block has at most six CONTINUATION frames")
    func continuations() {
        let open = HTTP2Frame(.headers, stream: 1)
        let more = HTTP2Frame(.continuation, stream: 1)
        #expect(!Self.budget([open] + Self.repeated(more, 6)).isExceeded)
        #expect(Self.budget([open] + Self.repeated(more, 7)).isExceeded)
    }

    @Test("time, completed responses and sent bytes fill it, and never above its capacity")
    func income() {
        var budget = Self.budget([])
        budget.earn(10_000)
        budget.spend(FrameBudget.capacity + 1)
        #expect(budget.isExceeded)
        budget.earn(FrameBudget.response)
        #expect(!budget.isExceeded)
        budget.spend(2 * FrameBudget.perSecond)
        #expect(budget.isExceeded)
        budget.count(UnsafeRawBufferPointer(start: nil, count: 0), now: Self.start + .seconds(1))
        #expect(budget.isExceeded)
        budget.count(UnsafeRawBufferPointer(start: nil, count: 0), now: Self.start + .seconds(2))
        #expect(!budget.isExceeded)
        budget.spend(FrameBudget.reset)
        // Frames of a tiny window bring nothing.
        for _ in 0..<1000 { budget.earn(sentBytes: 100) }
        #expect(budget.isExceeded)
        budget.earn(sentBytes: 16_384)
        #expect(!budget.isExceeded)
    }

    @Test("an incomplete preface, header block or control frame is a head, an incomplete body is not")
    func heads() {
        func isWithinHead(_ bytes: [UInt8]) -> Bool {
            var budget = FrameBudget(now: Self.start)
            bytes.withUnsafeBytes { budget.count($0, now: Self.start) }
            return budget.isWithinHead
        }
        let opening = HTTP2Frame.opening
        #expect(isWithinHead([]) && isWithinHead(Array(opening.prefix(20))) && isWithinHead(Array(opening.dropLast())))
        #expect(!isWithinHead(opening))
        #expect(isWithinHead(opening + [0]))
        #expect(isWithinHead(opening + HTTP2Frame(.headers, stream: 1).bytes))
        #expect(!isWithinHead(opening + HTTP2Frame.request(1).bytes))
        #expect(isWithinHead(opening + HTTP2Frame(.ping, [0]).bytes.dropLast()))
        #expect(!isWithinHead(opening + HTTP2Frame(.data, stream: 1, [1, 2]).bytes.dropLast()))
    }
}
