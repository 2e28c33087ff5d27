/// The pushes by message and device, and those that should not have come.
struct Arrivals {
    /// A push that left before the logout was stored may arrive a little after its answer.
    static let wireAllowanceMilliseconds = 250

    /// When each message reached each device, in seconds since 1970, in order.
    private(set) var times: [UnfinishedRows.Row: [Double]] = [:]
    /// Pushes to a token that was gone, later than the allowance.
    private(set) var afterLogout: [String] = []
    /// Those within it.
    private(set) var onTheWire = 0

    init(_ evidence: Evidence) {
        for push in evidence.pushes {
            guard let device = evidence.book.devices[push.token] else {
                afterLogout.append("push \(push.number) went to a token that was never registered")
                continue
            }
            if let message = push.message {
                times[.init(message: message, device: device.id), default: []].append(push.time)
            }
            guard let gone = evidence.book.goneTokens[push.token], push.time > gone else { continue }
            let late = Int((push.time - gone) * 1000)
            if late <= Self.wireAllowanceMilliseconds {
                onTheWire += 1
            } else {
                afterLogout.append(
                    "push \(push.number) of \(push.message ?? "a badge") to \(device.id) came \(late) ms after"
                )
            }
        }
    }
}
