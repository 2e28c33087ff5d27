import Foundation
import GatewayModel
import PushSimulator
import Testing

/// One answer of a provider, and all that must follow from it.
struct OutcomeRow: Sendable, CustomTestStringConvertible {
    enum DeviceEffect: Sendable {
        case kept
        case quarantined
        case dropped
    }

    /// What becomes of the refused push; what is sent again is accepted then.
    enum DeliveryEffect: Sendable, Equatable {
        case accepted
        case failed
        case again(Wait)
    }

    enum Wait: Sendable {
        case none
        /// The first of the retry delays.
        case schedule
        /// FCM's 5xx.
        case tenSeconds
        /// FCM's 429, which says no time itself.
        case minute
        /// As long as the breaker stays open for the first time.
        case breaker

        /// Milliseconds, up to a fifth being added so that not all come back in one moment.
        var range: ClosedRange<Int64> {
            switch self {
            case .none: 0...0
            case .schedule: 5_000...6_000
            case .tenSeconds: 10_000...12_000
            case .minute: 60_000...72_000
            case .breaker: 30_000...30_000
            }
        }
    }

    enum LaneEffect: Sendable {
        /// Other devices' pushes leave meanwhile.
        case open
        /// They wait with the refused one.
        case paused
        /// So they do, and an operator is called.
        case stopped
        /// An operator is called, but only devices of the refused one's platform wait, which is another than the others'.
        case platformStopped

        var isOpen: Bool { self == .open || self == .platformStopped }
        var callsOperator: Bool { self == .stopped || self == .platformStopped }
    }

    enum ConnectionEffect: Sendable {
        case kept
        case replaced
    }

    enum TokenEffect: Sendable {
        case kept
        case renewed
    }

    var provider: PushType
    var status: Int
    /// The table's word; nil for a row of the status classes.
    var word: String?
    /// What the simulator answers in place of the plain word.
    var action: RuleAction
    /// What operators get to see.
    var reason: String?
    var device = DeviceEffect.kept
    var delivery: DeliveryEffect
    var lane = LaneEffect.open
    var connection = ConnectionEffect.kept
    var credential = TokenEffect.kept
    var name: String

    var testDescription: String { "\(provider.rawValue) \(name)" }

    /// A row of APNs with the answer that its reason usually has.
    static func apns(
        _ status: Int,
        _ reason: String,
        _ delivery: DeliveryEffect,
        device: DeviceEffect = .kept,
        lane: LaneEffect = .open,
        connection: ConnectionEffect = .kept,
        credential: TokenEffect = .kept
    ) -> OutcomeRow {
        OutcomeRow(
            provider: .apns,
            status: status,
            word: reason,
            action: RuleAction(status: status, reason: reason),
            reason: reason,
            device: device,
            delivery: delivery,
            lane: lane,
            connection: connection,
            credential: credential,
            name: "\(status) \(reason)"
        )
    }

    /// A row of FCM with Google's error body, or with what a front end says.
    static func fcm(
        _ status: Int,
        _ word: String?,
        _ body: String,
        reason: String?,
        _ delivery: DeliveryEffect,
        device: DeviceEffect = .kept,
        lane: LaneEffect = .open,
        credential: TokenEffect = .kept,
        named name: String? = nil
    ) -> OutcomeRow {
        OutcomeRow(
            provider: .fcm,
            status: status,
            word: word,
            action: RuleAction(status: status, body: Array(body.utf8)),
            reason: reason,
            device: device,
            delivery: delivery,
            lane: lane,
            credential: credential,
            name: name ?? "\(status) \(word ?? "none")"
        )
    }

    /// An answer that is in no table.
    static func other(
        _ provider: PushType,
        _ name: String,
        _ action: RuleAction,
        reason: String?,
        _ delivery: DeliveryEffect,
        device: DeviceEffect = .kept,
        lane: LaneEffect = .open,
        credential: TokenEffect = .kept
    ) -> OutcomeRow {
        OutcomeRow(
            provider: provider,
            status: action.status ?? 200,
            word: nil,
            action: action,
            reason: reason,
            device: device,
            delivery: delivery,
            lane: lane,
            credential: credential,
            name: name
        )
    }
}
