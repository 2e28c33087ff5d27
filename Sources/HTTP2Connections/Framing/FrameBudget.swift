internal import NIOCore

/// Counts the frames by which a client causes work without requesting anything: resets (CVE-2023-44487), SETTINGS, PING,
/// empty DATA, CONTINUATION, PRIORITY and WINDOW_UPDATE.
///
/// It reads the headers of all frames before nghttp2 does, also of those that nghttp2 ignores. Such frames are paid from
/// a budget, which time and completed responses fill. A plain value.
struct FrameBudget {
    /// The most that a client can have saved: for example 100 resets at once.
    static let capacity = 1000
    /// The income of a second: for example five resets.
    static let perSecond = 50
    /// The price of a reset by either side.
    static let reset = 10
    /// The income from a completed response: the price of its reset.
    static let response = 10
    /// The CONTINUATION frames of one header block: more than the largest list of header fields needs.
    static let maxContinuations = 6

    private static let prefaceLength = 24
    private static let headerLength = 9
    private static let (endStream, endHeaders): (UInt8, UInt8) = (0x1, 0x4)

    /// The frames with a price or a meaning of their own (RFC 9113 section 6).
    private enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
        case windowUpdate = 8
        case continuation = 9
    }

    private var left = capacity
    private var filledAt: NIODeadline
    private var missingPreface = prefaceLength
    /// The bytes of the current frame's header that have arrived.
    private var headerBytes = 0
    private var length = 0
    /// Nil for a frame of any other kind.
    private var kind: Kind?
    private var flags: UInt8 = 0
    private var missingPayload = 0
    private var isHeaderBlockOpen = false
    private var continuations = 0

    init(now: NIODeadline) { filledAt = now }

    /// Whether more bytes must follow that belong to no body: the rest of the preface, of a header block, or of a frame
    /// other than DATA.
    var isWithinHead: Bool {
        missingPreface > 0 || headerBytes > 0 || isHeaderBlockOpen || missingPayload > 0 && kind != .data
    }

    /// Whether the client has caused too much work.
    var isExceeded: Bool { left < 0 }

    /// Subtracts a price.
    mutating func spend(_ price: Int) { left -= price }

    /// Adds an income.
    mutating func earn(_ income: Int) { left = min(left + income, Self.capacity) }

    /// Adds the income of a sent frame: for the updates of two windows, more for a long one.
    ///
    /// A short frame has none, or a client with tiny windows would never use up its budget.
    mutating func earn(sentBytes: Int) { if sentBytes >= 128 { earn(2 + sentBytes / 1024) } }

    /// Counts the frames that begin in received bytes.
    mutating func count(_ bytes: UnsafeRawBufferPointer, now: NIODeadline) {
        let seconds = Int((now - filledAt).nanoseconds / 1_000_000_000)
        if seconds > 0 {
            filledAt = now
            earn(min(seconds, Self.capacity) * Self.perSecond)
        }
        var index = min(missingPreface, bytes.count)
        missingPreface -= index
        while index < bytes.count {
            if missingPayload > 0 {
                let skipped = min(missingPayload, bytes.count - index)
                missingPayload -= skipped
                index += skipped
            } else {
                addHeaderByte(bytes[index])
                index += 1
            }
        }
    }

    private mutating func addHeaderByte(_ byte: UInt8) {
        switch headerBytes {
        case 0...2: length = (headerBytes == 0 ? 0 : length << 8) | Int(byte)
        case 3: kind = Kind(rawValue: byte)
        case 4: flags = byte
        default: break
        }
        headerBytes += 1
        guard headerBytes == Self.headerLength else { return }
        headerBytes = 0
        missingPayload = length
        if kind == .headers || kind == .continuation { isHeaderBlockOpen = flags & Self.endHeaders == 0 }
        continuations = kind == .continuation ? continuations + 1 : 0
        spend(continuations > Self.maxContinuations ? Self.capacity * 2 : price)
    }

    private var price: Int {
        switch kind {
        case .headers: 0
        // A body in tiny pieces costs as much as a long one.
        case .data: flags & Self.endStream != 0 || length >= 16 ? 0 : length == 0 ? 10 : 1
        case .reset: Self.reset
        case .settings, .continuation: 10
        case .ping: 5
        case .windowUpdate: 1
        case nil: 2
        }
    }
}
