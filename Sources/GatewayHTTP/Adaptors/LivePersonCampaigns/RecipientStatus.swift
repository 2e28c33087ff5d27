internal import GatewayModel
internal import GatewayStorage

/// The state of a campaign's message in LivePerson's words.
enum RecipientStatus: Equatable {
    /// A provider took it for a device.
    case delivered
    /// It waits.
    case scheduled
    /// It was withdrawn or suppressed, for this reason.
    case skipped(String)
    /// No device gets it, for this reason.
    case failed(String)

    /// Creates the state of a message's deliveries, newest first.
    init(_ deliveries: [DeliveryRecord]) {
        if deliveries.contains(where: { [.accepted, .delivered, .tapped].contains($0.state) }) {
            self = .delivered
        } else if deliveries.contains(where: { !$0.state.isFinished }) {
            self = .scheduled
        } else if let last = deliveries.first {
            self = last.suppressedBy.map { Self.skipped($0.rawValue) } ?? .failed(last.reason ?? last.state.rawValue)
        } else {
            self = .failed("NO_DEVICE")
        }
    }

    var word: String {
        switch self {
        case .delivered: "DELIVERED"
        case .scheduled: "SCHEDULED"
        case .skipped: "SKIPPED"
        case .failed: "FAILED"
        }
    }

    var error: String? {
        switch self {
        case .delivered, .scheduled: nil
        case .skipped(let reason), .failed(let reason): reason
        }
    }
}
