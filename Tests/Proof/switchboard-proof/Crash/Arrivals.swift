/// The pushes by message and device, and those that arrived in error.
struct Arrivals {
    /// The time that a push which left before a logout was stored may arrive after the logout's response.
    static let wireAllowanceMilliseconds = 250

    /// The times at which each message reached each device, in seconds since 1970, in order.
    private(set) var times: [UnfinishedRows.Row: [Double]] = [:]
    /// Pushes to a token after its logout, later than the allowance.
    private(set) var afterLogout: [String] = []
    /// Such pushes within the allowance.
    private(set) var onTheWire = 0

    init(_ evidence: Evidence) {
        for push in evidence.pushes {
            guard let device = evidence.record.devices[push.token] else {
                afterLogout.append("push \(push.number) went to a token that was never registered")
                continue
            }
            if let message = push.message {
                times[.init(message: message, device: device.id), default: []].append(push.time)
            }
            guard let gone = evidence.record.goneTokens[push.token], push.time > gone else { continue }
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
